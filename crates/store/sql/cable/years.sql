-- Of each substation that has sections: when the last was laid, the first and the last year of which their condition is known, and that of the last fault.
SELECT s.location_id, max(s.installed) AS installed, min(c.first) AS first, max(c.last) AS last, max(f.last) AS fault
FROM cable_section s
LEFT JOIN LATERAL (SELECT min(year) AS first, max(year) AS last FROM cable_condition WHERE section_id = s.id) c ON true
LEFT JOIN LATERAL (SELECT max(extract(year FROM day))::int AS last FROM cable_fault WHERE section_id = s.id) f ON true
WHERE s.client_id = $1
GROUP BY s.location_id
