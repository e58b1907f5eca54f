-- The points of a utility, their reporting intervals, and the first time at each resolution that is stored and kept: values are kept since $3, minutes since $4,
-- ten minutes since $5, hours since $6, and days since $7. Values from which buckets are still to be computed are stored for longer than they are kept.
SELECT
    p.id, p.expected_ms, c.zone,
    (SELECT ts FROM sample WHERE point_id = p.id ORDER BY ts LIMIT 1) AS first_value,
    (SELECT ts FROM sample WHERE point_id = p.id AND ts >= $3 ORDER BY ts LIMIT 1) AS since_raw,
    (SELECT r.start + (nth - 1) * INTERVAL '1 minute'
    FROM (SELECT start, n FROM rollup_1m WHERE point_id = p.id AND start >= $4 ORDER BY start LIMIT 1) r, unnest(r.n) WITH ORDINALITY AS entry (n, nth)
    WHERE entry.n IS NOT NULL
    ORDER BY nth
    LIMIT 1) AS since_1m,
    (SELECT r.start + (nth - 1) * INTERVAL '10 minutes'
    FROM (SELECT start, n FROM rollup_10m WHERE point_id = p.id AND start >= $5 ORDER BY start LIMIT 1) r, unnest(r.n) WITH ORDINALITY AS entry (n, nth)
    WHERE entry.n IS NOT NULL
    ORDER BY nth
    LIMIT 1) AS since_10m,
    -- A row has a week. The week that contains $6 may have no hour after it.
    (SELECT r.start + (nth - 1) * INTERVAL '1 hour'
    FROM (SELECT start, n FROM rollup_1h WHERE point_id = p.id AND start > $6::timestamptz - INTERVAL '168 hours' ORDER BY start LIMIT 2) r,
        unnest(r.n) WITH ORDINALITY AS entry (n, nth)
    WHERE entry.n IS NOT NULL AND r.start + (nth - 1) * INTERVAL '1 hour' >= $6
    ORDER BY r.start, nth
    LIMIT 1) AS since_1h,
    (SELECT bucket FROM rollup_1d WHERE point_id = p.id AND bucket >= $7 ORDER BY bucket LIMIT 1) AS since_1d
FROM point p
JOIN (SELECT id, known_zone(time_zone) AS zone FROM client) c ON c.id = p.client_id
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
