-- The stored conditions of the sections and years in a file.
SELECT to_jsonb(c) AS stored
FROM cable_condition c
JOIN jsonb_to_recordset($2::jsonb) AS t (section_id bigint, year integer) ON t.section_id = c.section_id AND t.year = c.year
WHERE c.client_id = $1
