SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM event e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
WHERE e.client_id = $1 AND e."offset" = ANY ($2::bigint[])
ORDER BY e.source_ts, e.epoch, e.seq, e.idx, e.point_id
