-- As refresh_1m, for whole ten minutes. The statement for hours is this one with other names (rollup.rs); hours and days are both computed from ten minutes.
-- The last value of a bucket is valid until the first value of the next bucket within the coarser one. If a bucket has no distribution in time because it is
-- too old, neither has the coarser one.
INSERT INTO rollup_10m AS r (
    point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst,
    heard_first, heard_last, value_time, held_ms)
SELECT p.id, b.start, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst,
    nullif(b.heard_first, b.first_ts), nullif(b.heard_last, b.last_ts),
    CASE WHEN b.has_times THEN b.value_time + coalesce(b.value_time_between, 0) END, CASE WHEN b.has_times THEN b.held_ms + coalesce(b.held_ms_between, 0) END
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
CROSS JOIN LATERAL (
    SELECT
        start,
        min(first_ts) AS first_ts,
        max(last_ts) AS last_ts,
        min(value_min) AS value_min,
        max(value_max) AS value_max,
        sum(value_sum) AS value_sum,
        (array_agg(value_first ORDER BY bucket) FILTER (WHERE n_good > 0))[1] AS value_first,
        (array_agg(value_last ORDER BY bucket) FILTER (WHERE n_good > 0))[count(*) FILTER (WHERE n_good > 0)::int] AS value_last,
        sum(n)::int AS n,
        sum(n_good)::int AS n_good,
        max(quality_worst) AS quality_worst,
        min(coalesce(heard_first, first_ts)) AS heard_first,
        max(coalesce(heard_last, last_ts)) AS heard_last,
        bool_and(held_ms IS NOT NULL) AS has_times,
        sum(value_time) AS value_time,
        sum(held_ms) AS held_ms,
        sum(value_last * held_ms(last_ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE is_good_at_last AND next < start + INTERVAL '10 minutes') AS value_time_between,
        sum(held_ms(last_ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE is_good_at_last AND next < start + INTERVAL '10 minutes') AS held_ms_between
    FROM (
        SELECT
            *,
            date_bin(INTERVAL '10 minutes', bucket, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS start,
            heard_last IS NULL AS is_good_at_last,
            lead(coalesce(heard_first, first_ts)) OVER (ORDER BY bucket) AS next
        FROM rollup_1m
        WHERE point_id = p.id AND bucket >= d.lo AND bucket < d.hi
    ) s
    GROUP BY start
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
    quality_worst = excluded.quality_worst,
    heard_first = excluded.heard_first,
    heard_last = excluded.heard_last,
    value_time = excluded.value_time,
    held_ms = excluded.held_ms
WHERE excluded.n > r.n
