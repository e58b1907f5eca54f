SELECT number, note, member_id, created, containers, nodes, equipment, measurements
FROM network_version
WHERE client_id = $1 AND ($2::int IS NULL OR number < $2)
ORDER BY number DESC
LIMIT $3
