INSERT INTO drawing (client_id, location_id, name, body)
VALUES ($1, $2, $3, $4)
ON CONFLICT (location_id) DO UPDATE SET name = excluded.name, body = excluded.body, updated = now()
WHERE drawing.client_id = excluded.client_id
