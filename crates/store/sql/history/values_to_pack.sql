-- The hours in which a measurand has more values in a minute than the rollup, within ranges of blocks of ids.
SELECT DISTINCT p.id AS point_id, m.hour AS start
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
CROSS JOIN LATERAL (
    SELECT date_bin(INTERVAL '1 hour', minute, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS hour, minute, n
    FROM (
        SELECT date_bin(INTERVAL '1 minute', ts, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS minute, count(*) AS n
        FROM sample
        WHERE point_id = p.id AND ts >= d.lo AND ts < d.hi
        GROUP BY 1
    ) counted
) m
LEFT JOIN LATERAL (SELECT n FROM rollup_1m WHERE point_id = p.id AND start = m.hour LIMIT 1) r ON true
WHERE m.n > coalesce(r.n[1 + date_part('minute', m.minute - m.hour)::integer], 0)
