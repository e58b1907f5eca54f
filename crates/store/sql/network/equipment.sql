SELECT id, kind, name, container, in_service, terminals, electrical
FROM network_equipment
WHERE client_id = $1 AND id > $3 AND first_version <= $2 AND (last_version IS NULL OR last_version >= $2)
ORDER BY id
LIMIT $4
