-- As after_of_node, for one asset.
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM event e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
WHERE e.client_id = $1 AND e.asset_id = $2 AND e."offset" > $3 AND e.source_ts >= $5
  AND EXISTS (
      SELECT FROM asset o JOIN event_newest w ON w.location_id = o.location_id WHERE o.client_id = $1 AND o.id = $2 AND w.client_id = $1 AND w."offset" > $3
  )
ORDER BY e."offset"
LIMIT $4
