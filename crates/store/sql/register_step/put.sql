INSERT INTO register_step (client_id, point_id, at, amount, confirmed_by, confirmed, note) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT DO NOTHING
