INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, encoding, quantity, unit, decimals, scale, expected_ms)
SELECT * FROM unnest(
    $1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::smallint[], $11::float8[],
    $12::bigint[])
ON CONFLICT (gateway_id, device, metric) DO UPDATE SET
    client_id = excluded.client_id, asset_id = excluded.asset_id, code = excluded.code, encoding = excluded.encoding, quantity = excluded.quantity,
    unit = excluded.unit, decimals = excluded.decimals, scale = excluded.scale, expected_ms = excluded.expected_ms
RETURNING id, gateway_id, device, metric
