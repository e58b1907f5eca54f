-- The point is looked up for its utility: the history itself has none.
SELECT ts, recv_ts, value, quality
FROM sample
WHERE point_id = (SELECT id FROM point WHERE client_id = $1 AND id = $2) AND ts >= $3 AND ts < $4
ORDER BY ts
LIMIT $5
