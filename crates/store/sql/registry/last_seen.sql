SELECT id, last_seen
FROM gateway
WHERE last_seen IS NOT NULL AND ($1::bigint IS NULL OR client_id = $1)
