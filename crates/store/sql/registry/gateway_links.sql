SELECT id, online, since, link_term, link_count
FROM gateway
WHERE since IS NOT NULL AND ($1::bigint IS NULL OR client_id = $1)
