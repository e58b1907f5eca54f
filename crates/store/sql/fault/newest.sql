-- The faults that began since a time, newest first; on request also open faults that began earlier.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT
    f.id, f.client_id, f.point_id, f.asset_id, a.name AS asset_name, f.location_id, n.name AS location_name, f.customers,
    f.started, f.ended, f.opened, f.trips, f.reclosed, f.lockout, f.current_r, f.current_y, f.current_b, f."offset"
FROM fault f
JOIN asset a ON a.id = f.asset_id
JOIN node n ON n.id = f.location_id
WHERE f.client_id = $1 AND ($2::bigint IS NULL OR f.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR f.asset_id = $3)
    AND (f.started >= $4 OR f.ended IS NULL)
ORDER BY f.started DESC, f.id DESC
LIMIT $5
