SELECT a.seq, a.at, a.actor_id, m.username, a.action, a.subject, a.before, a.after, a.from_address, a.correlation_id
FROM audit a
LEFT JOIN member m ON m.id = a.actor_id
WHERE a.client_id = $1 AND ($2::bigint IS NULL OR a.seq < $2)
ORDER BY a.seq DESC
LIMIT $3
