INSERT INTO seat_request (client_id, desk_id, session_id, member_id, reason, made_by, made, expires) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
