-- The changes within a period, and the last one before it, which is the state at the start.
SELECT gateway_id, device, at, online
FROM (
    SELECT gateway_id, device, at, online FROM link_change
    WHERE client_id = $1 AND gateway_id = ANY ($2::bigint[]) AND at >= $3 AND at < $4
    UNION ALL
    SELECT l.gateway_id, l.device, c.at, c.online
    FROM (
        SELECT id AS gateway_id, '' AS device FROM gateway WHERE client_id = $1 AND id = ANY ($2::bigint[])
        UNION ALL
        SELECT gateway_id, code FROM device WHERE client_id = $1 AND gateway_id = ANY ($2::bigint[])
    ) l
    CROSS JOIN LATERAL (
        SELECT at, online FROM link_change
        WHERE client_id = $1 AND gateway_id = l.gateway_id AND device = l.device AND at < $3
        ORDER BY at DESC
        LIMIT 1
    ) c
) changes
ORDER BY gateway_id, device, at
LIMIT $5
