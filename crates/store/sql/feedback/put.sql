INSERT INTO feedback (client_id, member_id, at, page, text) VALUES ($1, $2, $3, $4, $5)
