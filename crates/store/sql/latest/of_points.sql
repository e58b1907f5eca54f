SELECT point_id, source_ts, recv_ts, epoch, seq, value, quality
FROM latest
WHERE client_id = $1 AND point_id = ANY($2)
