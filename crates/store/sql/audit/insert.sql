-- The trigger of the table sets chain, seq, at and hash.
INSERT INTO audit (client_id, actor_id, session_id, action, subject, before, after, from_address, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
