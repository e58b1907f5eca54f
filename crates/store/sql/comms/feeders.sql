-- The changes of positions within a period, and the last one before it. A breaker that opened has tripped if a relay of the same bay operated in the five
-- seconds before, or if no user of this system had commanded the opening. Events are kept since $6.
SELECT
    e.point_id, e.source_ts, e.value, e.quality,
    e.value = CASE p.encoding WHEN 'double' THEN 1 ELSE 0 END
        AND (NOT opening_ordered(p.id, e.source_ts) OR EXISTS (
            SELECT FROM point r
            JOIN event o ON o.point_id = r.id
            WHERE r.client_id = $1 AND r.gateway_id = p.gateway_id AND r.device = p.device AND r.encoding = 'signal' AND r.code = 'Op'
              AND o.source_ts BETWEEN e.source_ts - INTERVAL '5 seconds' AND e.source_ts AND o.value = 1
        )) AS tripped
FROM point p
CROSS JOIN LATERAL (
    SELECT point_id, source_ts, value, quality, "offset" FROM event
    WHERE client_id = $1 AND point_id = p.id AND source_ts >= $3 AND source_ts < $4
    UNION ALL
    (
        SELECT point_id, source_ts, value, quality, "offset" FROM event
        WHERE client_id = $1 AND point_id = p.id AND source_ts < $3 AND source_ts >= $6
        ORDER BY source_ts DESC, "offset" DESC
        LIMIT 1
    )
) e
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
ORDER BY e.point_id, e.source_ts, e."offset"
LIMIT $5
