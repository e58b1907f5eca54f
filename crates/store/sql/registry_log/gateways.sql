SELECT id, client_id, code, name, location_id, online, since, link_term, link_count, last_seen, discovered
FROM gateway
WHERE id = ANY ($1)
