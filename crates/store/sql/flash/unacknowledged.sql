-- The last twenty unacknowledged changes of each status point, of some substations or of all. A breaker was opened by its protection if a relay of the same bay
-- (the device that reports both) operated in the five seconds before. A change that is much older than an acknowledged one was received late and does not flash
-- (grid::flash), so the search goes back only seven days from there.
SELECT
    p.id AS point_id, a.location_id, p.encoding, e.value, e.source_ts, e.recv_ts, p.code = 'Pos' AND a.class_name = 'breaker' AS of_breaker,
    e.opened AND EXISTS (
        SELECT FROM point r
        JOIN event o ON o.point_id = r.id
        WHERE r.gateway_id = p.gateway_id AND r.device = p.device AND r.encoding = 'signal' AND r.code = 'Op'
          AND o.source_ts BETWEEN e.source_ts - interval '5 seconds' AND e.source_ts AND o.value = 1
    ) AS by_protection,
    e.opened AND opening_ordered(p.id, e.source_ts) AS ordered
FROM point p
JOIN asset a ON a.id = p.asset_id
LEFT JOIN acknowledgement k ON k.point_id = p.id
CROSS JOIN LATERAL (
    SELECT value, source_ts, recv_ts, a.class_name = 'breaker' AND value = CASE p.encoding WHEN 'double' THEN 1 ELSE 0 END AS opened
    FROM event
    WHERE point_id = p.id AND "offset" > coalesce(k.through, 0) AND source_ts > coalesce(k.source_ts - INTERVAL '7 days', '-infinity')
    ORDER BY source_ts DESC, epoch DESC, seq DESC, idx DESC
    LIMIT 20
) e
WHERE p.encoding IS NOT NULL AND ($1::bigint[] IS NULL OR a.location_id = ANY ($1))
ORDER BY p.id
