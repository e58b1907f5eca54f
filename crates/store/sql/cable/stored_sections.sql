-- The stored sections that are in a file.
SELECT to_jsonb(s) AS stored
FROM cable_section s
JOIN jsonb_to_recordset($2::jsonb) AS t (code text) ON t.code = s.code
WHERE s.client_id = $1
