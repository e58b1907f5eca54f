INSERT INTO area (client_id, name) VALUES ($1, $2) RETURNING id
