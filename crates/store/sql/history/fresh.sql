-- What the rollup of some width does not have yet, in parts that make up its buckets: of ranges of which the minutes are there ($3 to $5), and of ranges of
-- which they are not ($6 to $8). Days of the time zone $9, or $10 ms where that is NULL.
SELECT p.id AS point_id, b.bucket, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst
FROM unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND p.id >> 6 = d.block
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN $9::text IS NULL THEN date_bin($10::bigint * INTERVAL '1 millisecond', s.bucket, TIMESTAMPTZ '2000-01-01 00:00:00+00') ELSE date_trunc('day', s.bucket, $9::text) END AS bucket,
        min(first_ts) AS first_ts,
        max(last_ts) AS last_ts,
        min(value_min) AS value_min,
        max(value_max) AS value_max,
        sum(value_sum) AS value_sum,
        (array_agg(value_first ORDER BY s.bucket) FILTER (WHERE n_good > 0))[1] AS value_first,
        (array_agg(value_last ORDER BY s.bucket DESC) FILTER (WHERE n_good > 0))[1] AS value_last,
        sum(n)::int AS n,
        sum(n_good)::int AS n_good,
        max(quality_worst) AS quality_worst
    FROM rollup_1m s
    WHERE s.point_id = p.id AND s.bucket >= d.lo AND s.bucket < d.hi
    GROUP BY 1
) b
UNION ALL
SELECT p.id AS point_id, b.bucket, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst
FROM unnest($6::bigint[], $7::timestamptz[], $8::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND p.id >> 6 = d.block
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN $9::text IS NULL THEN date_bin($10::bigint * INTERVAL '1 millisecond', s.ts, TIMESTAMPTZ '2000-01-01 00:00:00+00') ELSE date_trunc('day', s.ts, $9::text) END AS bucket,
        min(ts) FILTER (WHERE quality < 3 AND value IS NOT NULL) AS first_ts,
        max(ts) FILTER (WHERE quality < 3 AND value IS NOT NULL) AS last_ts,
        min(value) FILTER (WHERE quality < 3) AS value_min,
        max(value) FILTER (WHERE quality < 3) AS value_max,
        sum(value) FILTER (WHERE quality < 3) AS value_sum,
        (array_agg(value ORDER BY ts) FILTER (WHERE quality < 3 AND value IS NOT NULL))[1] AS value_first,
        (array_agg(value ORDER BY ts DESC) FILTER (WHERE quality < 3 AND value IS NOT NULL))[1] AS value_last,
        count(*)::int AS n,
        count(value) FILTER (WHERE quality < 3)::int AS n_good,
        max(quality) AS quality_worst
    FROM sample s
    WHERE s.point_id = p.id AND s.ts >= d.lo AND s.ts < d.hi
    GROUP BY 1
) b
