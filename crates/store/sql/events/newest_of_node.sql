-- A page starts after the row with the given offset, in the order of the list, so late events are included.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM (
    SELECT *
    FROM event
    WHERE client_id = $1
      AND location_id = ANY (ARRAY(SELECT id FROM below))
      AND source_ts <= coalesce((SELECT source_ts FROM event WHERE client_id = $1 AND "offset" = $3), 'infinity')
      AND ($3::bigint IS NULL
           OR (source_ts, epoch, seq, idx, point_id)
              < (SELECT source_ts, epoch, seq, idx, point_id FROM event WHERE client_id = $1 AND "offset" = $3))
    ORDER BY source_ts DESC, epoch DESC, seq DESC, idx DESC, point_id DESC
    LIMIT $4
) e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
ORDER BY e.source_ts DESC, e.epoch DESC, e.seq DESC, e.idx DESC, e.point_id DESC
