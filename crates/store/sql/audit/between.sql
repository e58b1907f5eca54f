-- Rows of some actions within a period, oldest first. A page starts after the row with the given number; 0 for the first page.
SELECT seq, at, actor_id, action, subject, before, after, from_address, correlation_id
FROM audit
WHERE chain = $1 AND client_id = $1 AND at >= $3 AND at < $4 AND action = ANY ($5)
  AND ($2::bigint = 0 OR (at, seq) > (SELECT a.at, a.seq FROM audit a WHERE a.chain = $1 AND a.seq = $2))
ORDER BY at, seq
LIMIT $6
