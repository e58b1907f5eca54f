SELECT gateway_id, code, online, since, link_term, link_count
FROM device
WHERE $1::bigint IS NULL OR client_id = $1
