-- The stored faults that are in a file.
SELECT to_jsonb(f) AS stored
FROM cable_fault f
JOIN jsonb_to_recordset($2::jsonb) AS t (code text) ON t.code = f.code
WHERE f.client_id = $1
