-- Recomputes ranges of blocks; whole minutes that do not overlap. Values are only added to the history: a stored bucket with as many values is unchanged, and
-- one with more values has lost some raw values to retention. In both cases the stored bucket is kept. Each value is valid until the next one within the
-- bucket.
INSERT INTO rollup_1m AS r (
    point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst,
    heard_first, heard_last, value_time, held_ms)
SELECT p.id, b.start, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst,
    nullif(b.heard_first, b.first_ts), nullif(b.heard_last, b.last_ts), coalesce(b.value_time, 0), coalesce(b.held_ms, 0)
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
CROSS JOIN LATERAL (
    SELECT
        start,
        min(ts) FILTER (WHERE is_good) AS first_ts,
        max(ts) FILTER (WHERE is_good) AS last_ts,
        min(value) FILTER (WHERE is_good) AS value_min,
        max(value) FILTER (WHERE is_good) AS value_max,
        sum(value) FILTER (WHERE is_good) AS value_sum,
        (array_agg(value ORDER BY ts) FILTER (WHERE is_good))[1] AS value_first,
        (array_agg(value ORDER BY ts) FILTER (WHERE is_good))[count(*) FILTER (WHERE is_good)::int] AS value_last,
        count(*)::int AS n,
        count(*) FILTER (WHERE is_good)::int AS n_good,
        max(quality) AS quality_worst,
        min(ts) AS heard_first,
        max(ts) AS heard_last,
        sum(value * held_ms(ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE is_good AND next < start + INTERVAL '1 minute') AS value_time,
        sum(held_ms(ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE is_good AND next < start + INTERVAL '1 minute') AS held_ms
    FROM (
        SELECT
            ts, value, quality,
            date_bin(INTERVAL '1 minute', ts, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS start,
            quality < 3 AND value IS NOT NULL AS is_good,
            lead(ts) OVER (ORDER BY ts) AS next
        FROM sample
        WHERE point_id = p.id AND ts >= d.lo AND ts < d.hi
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
