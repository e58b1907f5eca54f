-- A full scan on purpose: the table has one row for each point, and an index on recv_ts would make every update more expensive.
SELECT point_id, source_ts, recv_ts, epoch, seq, value, quality
FROM latest
WHERE ($1::bigint IS NULL OR client_id = $1) AND recv_ts > $2
ORDER BY recv_ts
