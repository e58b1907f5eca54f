SELECT l.point_id, l.source_ts, l.recv_ts, l.epoch, l.seq, l.value, l.quality
FROM latest l
JOIN point p ON p.id = l.point_id
JOIN asset a ON a.id = p.asset_id
WHERE l.client_id = $1 AND ($2::bigint IS NULL OR a.location_id = $2)
ORDER BY l.point_id
