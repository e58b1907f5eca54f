-- Rows of some actions within a span, oldest first; a page begins after the row with the number given. Numbers follow time but where the clock was put
-- back, by an hour at most: between the first and the last that lie within, nothing else is read.
SELECT seq, at, actor_id, action, subject, before, after, from_address, correlation_id
FROM audit
WHERE chain = $1 AND client_id = $1 AND seq > $2 AND at >= $3 AND at < $4 AND action = ANY ($5)
  AND seq >= (SELECT f.seq FROM audit f WHERE f.chain = $1 AND f.at >= $3::timestamptz - interval '1 hour' ORDER BY f.at LIMIT 1)
  AND seq <= (SELECT l.seq FROM audit l WHERE l.chain = $1 AND l.at < $4::timestamptz + interval '1 hour' ORDER BY l.at DESC LIMIT 1)
ORDER BY seq
LIMIT $6
