SELECT id, name, container, nominal_kv, is_internal, lon, lat
FROM network_node
WHERE client_id = $1 AND id > $3 AND first_version <= $2 AND (last_version IS NULL OR last_version >= $2)
ORDER BY id
LIMIT $4
