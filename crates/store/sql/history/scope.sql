-- The points of a utility, their reporting intervals, and the first stored time at each resolution.
SELECT
    p.id, p.expected_ms, c.zone,
    (SELECT ts FROM sample WHERE point_id = p.id ORDER BY ts LIMIT 1) AS since_raw,
    (SELECT r.start + (nth - 1) * INTERVAL '1 minute'
    FROM (SELECT start, n FROM rollup_1m WHERE point_id = p.id ORDER BY start LIMIT 1) r, unnest(r.n) WITH ORDINALITY AS entry (n, nth)
    WHERE entry.n IS NOT NULL
    ORDER BY nth
    LIMIT 1) AS since_1m,
    (SELECT r.start + (nth - 1) * INTERVAL '10 minutes'
    FROM (SELECT start, n FROM rollup_10m WHERE point_id = p.id ORDER BY start LIMIT 1) r, unnest(r.n) WITH ORDINALITY AS entry (n, nth)
    WHERE entry.n IS NOT NULL
    ORDER BY nth
    LIMIT 1) AS since_10m,
    (SELECT r.start + (nth - 1) * INTERVAL '1 hour'
    FROM (SELECT start, n FROM rollup_1h WHERE point_id = p.id ORDER BY start LIMIT 1) r, unnest(r.n) WITH ORDINALITY AS entry (n, nth)
    WHERE entry.n IS NOT NULL
    ORDER BY nth
    LIMIT 1) AS since_1h,
    (SELECT bucket FROM rollup_1d WHERE point_id = p.id ORDER BY bucket LIMIT 1) AS since_1d
FROM point p
JOIN (SELECT id, known_zone(time_zone) AS zone FROM client) c ON c.id = p.client_id
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
