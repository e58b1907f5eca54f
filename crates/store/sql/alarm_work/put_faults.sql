INSERT INTO fault (
    client_id, point_id, asset_id, location_id, customers, started, ended, opened, trips, reclosed, lockout, current_r, current_y, current_b, "offset")
SELECT
    $1::bigint, point_id, asset_id, location_id, customers, instant(started), instant(ended), instant(opened), trips, reclosed, lockout, current_r, current_y,
    current_b, "offset"
FROM jsonb_to_recordset($2::jsonb) AS t (
    point_id bigint, asset_id bigint, location_id bigint, customers integer, started bigint, ended bigint, opened bigint, trips integer, reclosed boolean,
    lockout boolean, current_r float8, current_y float8, current_b float8, "offset" bigint)
-- Ended faults first, because a breaker has at most one open fault.
ORDER BY ended NULLS LAST, started
ON CONFLICT (point_id, started) DO UPDATE SET
    ended = excluded.ended, opened = excluded.opened, trips = excluded.trips, reclosed = excluded.reclosed, lockout = excluded.lockout,
    current_r = excluded.current_r, current_y = excluded.current_y, current_b = excluded.current_b, "offset" = excluded."offset"
RETURNING id, point_id, started
