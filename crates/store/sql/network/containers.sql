SELECT id, kind, name, parent, nominal_kv, lon, lat
FROM network_container
WHERE client_id = $1 AND id > $3 AND first_version <= $2 AND (last_version IS NULL OR last_version >= $2)
ORDER BY id
LIMIT $4
