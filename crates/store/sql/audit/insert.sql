-- chain, seq, at and hash are given by the table's own trigger.
INSERT INTO audit (client_id, actor_id, session_id, action, subject, before, after, from_address, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
