-- The newest fault of each given breaker; without breakers, the open faults.
SELECT DISTINCT ON (f.point_id)
    f.id, f.client_id, f.point_id, f.asset_id, a.name AS asset_name, f.location_id, n.name AS location_name, f.customers,
    f.started, f.ended, f.opened, f.trips, f.reclosed, f.lockout, f.current_r, f.current_y, f.current_b, f."offset"
FROM fault f
JOIN asset a ON a.id = f.asset_id
JOIN node n ON n.id = f.location_id
WHERE f.client_id = $1 AND (f.point_id = ANY ($2::bigint[]) OR $2::bigint[] IS NULL AND f.ended IS NULL)
ORDER BY f.point_id, f.started DESC
