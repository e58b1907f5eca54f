INSERT INTO network_version (client_id, number, note, member_id, created, containers, nodes, equipment, measurements)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
