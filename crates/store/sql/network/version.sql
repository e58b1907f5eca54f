SELECT number, note, member_id, created, containers, nodes, equipment, measurements
FROM network_version
WHERE client_id = $1 AND number = $2
