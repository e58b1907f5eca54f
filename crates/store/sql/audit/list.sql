SELECT seq, at, actor_id, action, subject, before, after, from_address, correlation_id
FROM audit
WHERE chain = $1 AND client_id = $1 AND ($2::bigint IS NULL OR seq < $2)
ORDER BY seq DESC
LIMIT $3
