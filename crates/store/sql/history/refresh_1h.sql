-- As refresh_1m; whole hours. From ten minutes, as days are.
INSERT INTO rollup_1h AS r (point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst)
SELECT p.id, b.start, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
CROSS JOIN LATERAL (
    SELECT
        date_bin(INTERVAL '1 hour', bucket, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS start,
        min(first_ts) AS first_ts,
        max(last_ts) AS last_ts,
        min(value_min) AS value_min,
        max(value_max) AS value_max,
        sum(value_sum) AS value_sum,
        (array_agg(value_first ORDER BY bucket) FILTER (WHERE n_good > 0))[1] AS value_first,
        (array_agg(value_last ORDER BY bucket DESC) FILTER (WHERE n_good > 0))[1] AS value_last,
        sum(n)::int AS n,
        sum(n_good)::int AS n_good,
        max(quality_worst) AS quality_worst
    FROM rollup_10m s
    WHERE s.point_id = p.id AND s.bucket >= d.lo AND s.bucket < d.hi
    GROUP BY 1
) b
ON CONFLICT (point_id, bucket) DO UPDATE SET
    first_ts = excluded.first_ts,
    last_ts = excluded.last_ts,
    value_min = excluded.value_min,
    value_max = excluded.value_max,
    value_sum = excluded.value_sum,
    value_first = excluded.value_first,
    value_last = excluded.value_last,
    n = excluded.n,
    n_good = excluded.n_good,
    quality_worst = excluded.quality_worst
WHERE excluded.n > r.n
