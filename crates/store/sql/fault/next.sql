-- Returns when the first fault of a period began.
SELECT f.started
FROM fault f
WHERE f.client_id = $1 AND ($2::bigint IS NULL OR f.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR f.asset_id = $3)
    AND f.started >= $4 AND f.started < $5
ORDER BY f.started
LIMIT 1
