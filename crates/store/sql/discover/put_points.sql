INSERT INTO point (client_id, gateway_id, asset_id, device, metric, code, encoding, quantity, unit, decimals, expected_ms)
SELECT $1, $2, a.id, t.device, t.metric, t.code, t.encoding, t.quantity, t.unit, t.decimals, t.expected_ms
FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::smallint[], $12::bigint[])
    AS t (asset, device, metric, code, encoding, quantity, unit, decimals, expected_ms)
JOIN asset a ON a.location_id = $3 AND a.code = t.asset
ON CONFLICT (gateway_id, device, metric) DO NOTHING
