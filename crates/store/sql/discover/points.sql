SELECT
    p.id, p.client_id, p.gateway_id, p.device, p.metric, p.code, p.asset_id, a.name AS asset_name, a.type_id AS asset_type, a.location_id,
    p.encoding, p.quantity, p.unit, p.decimals, p.scale, p.expected_ms
FROM point p
JOIN asset a ON a.id = p.asset_id
WHERE p.client_id = $1
  AND p.gateway_id = $2
  AND (p.device, p.metric) IN (SELECT * FROM unnest($3::text[], $4::text[]))
ORDER BY p.id
