-- The parts of buckets that a rollup lacks: for ranges whose minutes are complete ($3 to $5), and for other ranges ($6 to $8). Buckets are days of the time
-- zone $9, or $10 ms if that is NULL. As refresh_10m and refresh_1m.
SELECT p.id AS point_id, b.bucket, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst,
    b.heard_first, b.heard_last,
    CASE WHEN b.has_times THEN b.value_time + coalesce(b.value_time_between, 0) END AS value_time,
    CASE WHEN b.has_times THEN b.held_ms + coalesce(b.held_ms_between, 0) END AS held_ms
FROM unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND p.id >> 6 = d.block
CROSS JOIN LATERAL (
    SELECT
        start AS bucket,
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
        sum(value_last * held_ms(last_ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE heard_last IS NULL AND next_start = start) AS value_time_between,
        sum(held_ms(last_ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE heard_last IS NULL AND next_start = start) AS held_ms_between
    FROM (
        SELECT *, lead(coalesce(heard_first, first_ts)) OVER (ORDER BY bucket) AS next, lead(start) OVER (ORDER BY bucket) AS next_start
        FROM (
            SELECT
                *,
                CASE WHEN $9::text IS NULL THEN date_bin($10::bigint * INTERVAL '1 millisecond', bucket, TIMESTAMPTZ '2000-01-01 00:00:00+00') ELSE date_trunc('day', bucket, $9::text) END AS start
            FROM rollup_1m
            WHERE point_id = p.id AND bucket >= d.lo AND bucket < d.hi
        ) minute
    ) s
    GROUP BY start
) b
UNION ALL
SELECT p.id AS point_id, b.bucket, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst,
    b.heard_first, b.heard_last, coalesce(b.value_time, 0) AS value_time, coalesce(b.held_ms, 0) AS held_ms
FROM unnest($6::bigint[], $7::timestamptz[], $8::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND p.id >> 6 = d.block
CROSS JOIN LATERAL (
    SELECT
        start AS bucket,
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
        sum(value * held_ms(ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE is_good AND next_start = start) AS value_time,
        sum(held_ms(ts, next, age_limit_ms(p.expected_ms))) FILTER (WHERE is_good AND next_start = start) AS held_ms
    FROM (
        SELECT *, lead(ts) OVER (ORDER BY ts) AS next, lead(start) OVER (ORDER BY ts) AS next_start
        FROM (
            SELECT
                ts, value, quality,
                quality < 3 AND value IS NOT NULL AS is_good,
                CASE WHEN $9::text IS NULL THEN date_bin($10::bigint * INTERVAL '1 millisecond', ts, TIMESTAMPTZ '2000-01-01 00:00:00+00') ELSE date_trunc('day', ts, $9::text) END AS start
            FROM sample
            WHERE point_id = p.id AND ts >= d.lo AND ts < d.hi
        ) one
    ) s
    GROUP BY start
) b
