-- Begins statements that return faults of utility $1, of the area of node $2 or of asset $3.
SELECT
    f.id, f.client_id, f.point_id, f.asset_id, a.name AS asset_name, f.location_id, n.name AS location_name, f.customers,
    f.started, f.ended, f.opened, f.trips, f.reclosed, f.lockout, f.current_r, f.current_y, f.current_b, f."offset"
FROM fault f
JOIN asset a ON a.id = f.asset_id
JOIN node n ON n.id = f.location_id
WHERE f.client_id = $1 AND ($2::bigint IS NULL OR f.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR f.asset_id = $3)
