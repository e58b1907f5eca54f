-- The stored plant of the assets, parts and years in a file.
SELECT to_jsonb(p) AS stored
FROM plant_state p
JOIN jsonb_to_recordset($2::jsonb) AS t (asset_id bigint, part text, year integer) ON t.asset_id = p.asset_id AND t.part = p.part AND t.year = p.year
WHERE p.client_id = $1
