SELECT
    f.id, f.client_id, f.point_id, f.asset_id, a.name AS asset_name, f.location_id, n.name AS location_name, f.customers,
    f.started, e.ended, e.opened, e.trips, e.reclosed, e.lockout, e.current_r, e.current_y, e.current_b, e."offset"
FROM fault_event e
JOIN fault f ON f.id = e.fault_id
JOIN asset a ON a.id = f.asset_id
JOIN node n ON n.id = f.location_id
WHERE e.client_id = $1 AND ($2::bigint IS NULL OR e.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR e.asset_id = $3)
    AND e."offset" > $4
ORDER BY e."offset"
LIMIT $5
