-- Plant of a substation with the newest state of each part up to a year, without plant that was out of service at the end of that year.
SELECT *
FROM (
    SELECT DISTINCT ON (p.asset_id, p.part) p.asset_id, p.part, p.kind, p.kv, p.made, p.in_primary, p.gas, p.outdoor, p.duty, p.location,
        p.condition_factor, p.condition_cap, p.condition_collar, p.reliability, p.secure, p.financial, p.safety, p.environmental, p.withdrawn
    FROM plant_state p
    JOIN asset a ON a.id = p.asset_id
    WHERE p.client_id = $1 AND a.client_id = $1 AND a.location_id = $2 AND p.year <= $3
    ORDER BY p.asset_id, p.part, p.year DESC
) newest
WHERE withdrawn IS NULL OR withdrawn >= make_date($3 + 1, 1, 1)
ORDER BY asset_id, part
