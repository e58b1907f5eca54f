-- A point carries the name, type and substation of its asset: with an asset all its points are read again.
SELECT
    p.id, p.client_id, p.gateway_id, p.device, p.metric, p.code, p.asset_id, a.name AS asset_name, a.type_id AS asset_type, a.location_id,
    p.encoding, p.quantity, p.unit, p.decimals, p.scale, p.expected_ms
FROM point p
JOIN asset a ON a.id = p.asset_id
WHERE p.id = ANY ($1) OR p.asset_id = ANY ($2)
