-- For each substation with sections or plant: the first year with a known condition, and the last year in which a finding or fault was recorded, or something
-- was laid or taken out of service.
SELECT location_id, min(first) AS first, max(last) AS last
FROM (
    SELECT s.location_id, c.first, greatest(s.installed, s.removed, extract(year FROM s.withdrawn)::int, c.last, f.last) AS last
    FROM cable_section s
    LEFT JOIN LATERAL (SELECT min(year) AS first, max(year) AS last FROM cable_condition WHERE section_id = s.id AND year >= s.installed) c ON true
    LEFT JOIN LATERAL (SELECT max(extract(year FROM day))::int AS last FROM cable_fault WHERE section_id = s.id) f ON true
    WHERE s.client_id = $1
    UNION ALL
    SELECT a.location_id, p.year, greatest(p.year, extract(year FROM p.withdrawn)::int)
    FROM plant_state p
    JOIN asset a ON a.id = p.asset_id
    WHERE p.client_id = $1 AND a.client_id = $1
) known
GROUP BY location_id
