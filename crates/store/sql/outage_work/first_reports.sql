-- The first report of each of some points that was measured after an observation ($3), or received after its entry ($4); not one that the device marks as
-- stale or invalid. A value that a device repeats is in the latest values only.
SELECT w.nth, w.point_id, r.at, r.value, r.quality
FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[]) WITH ORDINALITY AS w (point_id, observed, entered, nth)
JOIN point p ON p.id = w.point_id AND p.client_id = $1
CROSS JOIN LATERAL (
    SELECT at, value, quality
    FROM (
        (
            SELECT s.ts AS at, s.value, s.quality FROM sample s
            WHERE s.point_id = w.point_id AND s.ts > w.observed AND s.quality NOT IN (3, 4, 6)
            ORDER BY s.ts
            LIMIT 1
        )
        UNION ALL
        SELECT CASE WHEN l.source_ts > w.observed THEN l.source_ts ELSE l.recv_ts END, l.value, l.quality FROM latest l
        WHERE l.client_id = $1 AND l.point_id = w.point_id AND (l.source_ts > w.observed OR l.recv_ts > w.entered) AND l.quality NOT IN (3, 4, 6)
    ) reports
    ORDER BY at
    LIMIT 1
) r
ORDER BY w.nth
