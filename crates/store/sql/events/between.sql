-- Events of some substations, or of some assets there, within a period, oldest first. A page starts after the row with the given offset, in the order of the
-- list.
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM (
    SELECT *
    FROM event
    WHERE client_id = $1
      AND location_id = ANY ($2)
      AND ($3::bigint[] IS NULL OR asset_id = ANY ($3))
      AND source_ts >= $4 AND source_ts < $5
      AND ($6::bigint IS NULL
           OR (source_ts, epoch, seq, idx, point_id)
              > (SELECT source_ts, epoch, seq, idx, point_id FROM event WHERE client_id = $1 AND "offset" = $6))
    ORDER BY source_ts, epoch, seq, idx, point_id
    LIMIT $7
) e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
ORDER BY e.source_ts, e.epoch, e.seq, e.idx, e.point_id
