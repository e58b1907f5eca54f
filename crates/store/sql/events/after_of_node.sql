-- Reads all events of the utility after the offset, so a caller limits how far back it is. Nothing is read if no substation has a newer one.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding
FROM event e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
WHERE e.client_id = $1 AND e.location_id = ANY (ARRAY(SELECT id FROM below)) AND e."offset" > $3 AND e.source_ts >= $5
  AND EXISTS (SELECT FROM event_newest w JOIN below ON below.id = w.location_id WHERE w.client_id = $1 AND w."offset" > $3)
ORDER BY e."offset"
LIMIT $4
