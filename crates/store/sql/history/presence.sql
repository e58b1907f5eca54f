-- Returns when points have values from $3 (inclusive) to $4 (exclusive), to the day: the first instant at which a value may be stored and the end of the last.
-- Days are those of the daily rollup; what it lacks is marked, by block. Single values are read for points without rollups, and for all points if $5 is true.
-- For a point that reports by exception it also returns when the value was measured that is valid at $3 according to the rollups, and whether marks of the day
-- before $3 may hide a newer value. Values are kept since $6 and days since $7; days are kept longest.
WITH zone AS MATERIALIZED (
    SELECT id, known_zone(time_zone) AS zone FROM client
), wanted AS MATERIALIZED (
    SELECT p.id, p.id >> 6 AS block, p.encoding IS NULL AS is_measured, p.encoding IS NULL AND p.expected_ms IS NULL AS is_by_exception, zone.zone
    FROM point p
    JOIN zone ON zone.id = p.client_id
    WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
), marked AS MATERIALIZED (
    SELECT block,
        min(greatest(lo, $3::timestamptz)) FILTER (WHERE hi > $3) AS first,
        max(least(hi, $4)) FILTER (WHERE hi > $3) AS until,
        max(hi) FILTER (WHERE lo < $3) AS before
    FROM rollup_dirty
    WHERE block = ANY (ARRAY(SELECT DISTINCT block FROM wanted)) AND lo < $4
    GROUP BY block
)
SELECT w.id,
    least(earliest.first, marked.first, oldest.ts) AS first,
    greatest(latest.until, marked.until, newest.ts + INTERVAL '1 microsecond') AS until,
    CASE WHEN held.measured >= $7::timestamptz THEN held.measured END AS held,
    coalesce(w.is_by_exception AND marked.before > $3 - INTERVAL '25 hours', false) AS is_unsettled
FROM wanted w
LEFT JOIN marked ON marked.block = w.block
LEFT JOIN LATERAL (
    -- A day that was stored under another time zone may begin before $3 and end after it.
    SELECT greatest(bucket, $3) AS first FROM rollup_1d
    WHERE bucket >= $7 AND w.is_measured AND point_id = w.id AND bucket > $3 - INTERVAL '2 days' AND bucket < $4
        AND (bucket AT TIME ZONE w.zone + INTERVAL '1 day') AT TIME ZONE w.zone > $3
    ORDER BY bucket
    LIMIT 1
) earliest ON true
LEFT JOIN LATERAL (
    SELECT (bucket AT TIME ZONE w.zone + INTERVAL '1 day') AT TIME ZONE w.zone AS until FROM rollup_1d
    WHERE earliest.first IS NOT NULL AND point_id = w.id AND bucket < $4
    ORDER BY bucket DESC
    LIMIT 1
) latest ON true
LEFT JOIN LATERAL (
    SELECT ts FROM sample WHERE ($5 OR NOT w.is_measured) AND point_id = w.id AND ts >= greatest($3, $6::timestamptz) AND ts < $4 ORDER BY ts LIMIT 1
) oldest ON true
LEFT JOIN LATERAL (
    SELECT ts FROM sample WHERE oldest.ts IS NOT NULL AND point_id = w.id AND ts >= $3 AND ts < $4 ORDER BY ts DESC LIMIT 1
) newest ON true
LEFT JOIN LATERAL (
    -- All resolutions, since one may be ahead of another. The block that contains $3 may have buckets after it only, so two are read.
    SELECT max(last_ts) FILTER (WHERE is_valid) AS measured
    FROM (
        (SELECT r.start + (i - 1 + r.last_at[i] / 30000.0::float8) * INTERVAL '1 minute' AS last_ts, r.received_last[i] IS NULL AS is_valid
        FROM (SELECT * FROM rollup_1m WHERE w.is_by_exception AND point_id = w.id AND start < $3 ORDER BY start DESC LIMIT 2) r
        CROSS JOIN generate_subscripts(r.n, 1) AS i
        WHERE r.n[i] IS NOT NULL AND r.start + (i - 1) * INTERVAL '1 minute' < $3
        ORDER BY r.start DESC, i DESC
        LIMIT 1)
        UNION ALL
        (SELECT r.start + (i - 1 + r.last_at[i] / 30000.0::float8) * INTERVAL '10 minutes' AS last_ts, r.received_last[i] IS NULL AS is_valid
        FROM (SELECT * FROM rollup_10m WHERE w.is_by_exception AND point_id = w.id AND start < $3 ORDER BY start DESC LIMIT 2) r
        CROSS JOIN generate_subscripts(r.n, 1) AS i
        WHERE r.n[i] IS NOT NULL AND r.start + (i - 1) * INTERVAL '10 minutes' < $3
        ORDER BY r.start DESC, i DESC
        LIMIT 1)
        UNION ALL
        (SELECT r.start + (i - 1 + r.last_at[i] / 30000.0::float8) * INTERVAL '1 hour' AS last_ts, r.received_last[i] IS NULL AS is_valid
        FROM (SELECT * FROM rollup_1h WHERE w.is_by_exception AND point_id = w.id AND start < $3 ORDER BY start DESC LIMIT 2) r
        CROSS JOIN generate_subscripts(r.n, 1) AS i
        WHERE r.n[i] IS NOT NULL AND r.start + (i - 1) * INTERVAL '1 hour' < $3
        ORDER BY r.start DESC, i DESC
        LIMIT 1)
        UNION ALL
        (SELECT last_ts, heard_last IS NULL FROM rollup_1d WHERE w.is_by_exception AND point_id = w.id AND bucket < $3 ORDER BY bucket DESC LIMIT 1)
    ) newest
) held ON true
