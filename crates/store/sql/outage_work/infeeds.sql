-- The newest usable voltages of the incoming lines of a utility (assets of type $2, and further ones at the sources of its network, $4), with the last stored state of each line.
SELECT
    a.id AS asset_id, a.location_id, a.kv, p.id AS point_id, p.code, l.value, l.source_ts, coalesce(c.is_live, true) AS is_live, c.at AS changed_at
FROM asset a
JOIN point p ON p.asset_id = a.id
JOIN latest l ON l.client_id = $1 AND l.point_id = p.id
LEFT JOIN LATERAL (SELECT is_live, at FROM infeed_change WHERE client_id = $1 AND asset_id = a.id ORDER BY at DESC LIMIT 1) c ON true
WHERE a.client_id = $1 AND (a.type_id = $2 OR a.id = ANY ($4::bigint[])) AND a.kv > 0 AND p.client_id = $1 AND p.quantity = 'voltage' AND l.value IS NOT NULL AND l.quality <= $3
ORDER BY a.id, p.id
