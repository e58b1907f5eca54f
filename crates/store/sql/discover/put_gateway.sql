INSERT INTO gateway (client_id, code, name, location_id, discovered)
VALUES ($1, $2, $2, $3, true)
RETURNING id
