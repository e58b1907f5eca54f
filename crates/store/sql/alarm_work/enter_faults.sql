INSERT INTO fault_event (client_id, "offset", fault_id, asset_id, location_id, ended, opened, trips, reclosed, lockout, current_r, current_y, current_b)
SELECT
    $1::bigint, t."offset", f.id, t.asset_id, t.location_id, instant(t.ended), instant(t.opened), t.trips, t.reclosed, t.lockout, t.current_r, t.current_y,
    t.current_b
FROM jsonb_to_recordset($2::jsonb) AS t (
    point_id bigint, asset_id bigint, location_id bigint, started bigint, ended bigint, opened bigint, trips integer, reclosed boolean, lockout boolean,
    current_r float8, current_y float8, current_b float8, "offset" bigint)
JOIN fault f ON f.point_id = t.point_id AND f.started = instant(t.started) AND f.client_id = $1
