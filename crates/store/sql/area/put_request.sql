INSERT INTO area_request (client_id, area_id, kind, from_desk, to_desk, reason, made_by, made, expires, member_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
