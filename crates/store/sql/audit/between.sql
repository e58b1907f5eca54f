-- Rows of some actions within a span, oldest first; a page begins after the row with the number given.
SELECT seq, at, actor_id, action, subject, before, after, from_address, correlation_id
FROM audit
WHERE client_id = $1 AND seq > $2 AND at >= $3 AND at < $4 AND action = ANY ($5)
ORDER BY seq
LIMIT $6
