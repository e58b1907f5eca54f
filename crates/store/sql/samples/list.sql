-- The point is checked against its utility, because the history has no column for it.
SELECT ts, recv_ts, value, quality
FROM sample
WHERE point_id = (SELECT id FROM point WHERE client_id = $1 AND id = $2) AND ts >= $3 AND ts < $4
ORDER BY ts
LIMIT $5
