INSERT INTO gateway (client_id, code, name, location_id, last_seen, discovered)
VALUES ($1, $2, $2, $3, $4, true)
RETURNING id
