-- Raw rows of a utility as one JSON value, for recompute.py. $1 utility, $2 asset with the forecast.
SELECT json_build_object(
    'zone', (SELECT time_zone FROM client WHERE id = $1),
    'assets', (
        SELECT json_agg(json_build_object('id', id, 'location', location_id, 'type', type_id, 'device', device, 'customers', customers))
        FROM asset WHERE client_id = $1
    ),
    'points', (
        SELECT json_agg(json_build_object('id', id, 'asset', asset_id, 'code', code, 'unit', unit, 'expected_ms', expected_ms))
        FROM point WHERE client_id = $1
    ),
    'events', (
        SELECT json_object_agg(point_id, rows) FROM (
            SELECT point_id, json_agg(json_build_array((extract(epoch FROM source_ts) * 1000000)::bigint, value)) AS rows
            FROM event WHERE client_id = $1 AND quality = 0 GROUP BY point_id
        ) AS of_point
    ),
    'samples', (
        SELECT json_object_agg(point_id, rows) FROM (
            SELECT s.point_id, json_agg(json_build_array((extract(epoch FROM s.ts) * 1000000)::bigint, s.value)) AS rows
            FROM sample s JOIN point p ON p.id = s.point_id WHERE p.client_id = $1 AND s.quality = 0 GROUP BY s.point_id
        ) AS of_point
    ),
    'faults', (SELECT json_agg((extract(epoch FROM started) * 1000000)::bigint) FROM fault WHERE client_id = $1),
    'links', (
        SELECT json_agg(json_build_array(gateway_id, (extract(epoch FROM at) * 1000000)::bigint, online))
        FROM link_change WHERE client_id = $1 AND device = ''
    ),
    'forecasts', (
        SELECT json_agg(json_build_array((extract(epoch FROM issued) * 1000000)::bigint, value)) FROM forecast WHERE client_id = $1 AND asset_id = $2
    )
)::text
