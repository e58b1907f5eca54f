-- The changes of some status points within a period, and the last one before it, which is the status at the start. Events are kept since $6.
SELECT e.point_id, e.source_ts, e.value, e.quality
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
