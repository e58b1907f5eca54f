INSERT INTO action_note (client_id, location_id, asset_id, text, owner, due, state, created_by)
VALUES ($1, $2, $3, $4, $5, $6::text::date, $7, $8)
RETURNING id
