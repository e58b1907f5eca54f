-- Reads the whole table on purpose: it has a row a point, and an index on recv_ts would make every one of its updates dear.
SELECT point_id, source_ts, recv_ts, epoch, seq, value, quality
FROM latest
WHERE ($1::bigint IS NULL OR client_id = $1) AND recv_ts > $2
ORDER BY recv_ts
