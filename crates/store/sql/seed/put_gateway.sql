INSERT INTO gateway (client_id, code, name, location_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (client_id, code) DO UPDATE SET name = excluded.name, location_id = excluded.location_id, discovered = false
RETURNING id
