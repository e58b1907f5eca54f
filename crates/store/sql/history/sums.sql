-- Sums over points of weighted means, by block of $6 ms from $4 (inclusive) to $5 (exclusive), from stored buckets: minutes if $7 is 1, ten minutes if 2, hours
-- if 3.
--
-- The mean of a block is that of its buckets with equal weights. The mean of a bucket is over time: a value is valid until the next one, until it is too old,
-- or until the end of the bucket; for points that report by exception also from the bucket before (grid::downsample::Held). For other points the time before
-- the first value of a bucket is left out, because looking up the value that was valid there takes longer than all the rest. Buckets without stored times give
-- each value the same weight.
--
-- `shares` is the sum of the shares of the block for which each point has values (a value counts for its reporting interval). `heard` is the number of points
-- with at least the share $11. $8 to $10 are the values valid at $4 (whether there is one, since when, which value), where the stored buckets before it may be
-- incomplete.
WITH weighted AS (
    SELECT p.id, w.weight, coalesce(p.expected_ms, 0) AS expected_ms, age_limit_ms(p.expected_ms) AS limit_ms,
        CASE WHEN w.is_told THEN w.told_ts ELSE b.last_ts END AS before_ts,
        CASE WHEN w.is_told THEN w.told_value ELSE b.value_last END AS before_value
    FROM unnest($2::bigint[], $3::float8[], $8::bool[], $9::timestamptz[], $10::float8[]) AS w (id, weight, is_told, told_ts, told_value)
    JOIN point p ON p.client_id = $1 AND p.id = w.id
    LEFT JOIN LATERAL (
        SELECT last_ts, value_last
        FROM (
            (SELECT last_ts, value_last, heard_last FROM rollup_1m
            WHERE $7::smallint = 1 AND p.expected_ms IS NULL AND point_id = p.id AND bucket < $4
            ORDER BY bucket DESC LIMIT 1)
            UNION ALL
            (SELECT last_ts, value_last, heard_last FROM rollup_10m
            WHERE $7::smallint = 2 AND p.expected_ms IS NULL AND point_id = p.id AND bucket < $4
            ORDER BY bucket DESC LIMIT 1)
            UNION ALL
            (SELECT last_ts, value_last, heard_last FROM rollup_1h
            WHERE $7::smallint = 3 AND p.expected_ms IS NULL AND point_id = p.id AND bucket < $4
            ORDER BY bucket DESC LIMIT 1)
        ) newest
        WHERE heard_last IS NULL
    ) b ON NOT w.is_told
)
SELECT block, sum(mean * weight) AS total, sum(least(1.0::float8, cells * cell_ms / $6::bigint)) AS shares,
    count(*) FILTER (WHERE cells * cell_ms / $6::bigint >= $11::float8) AS heard
FROM (
    SELECT date_bin($6::bigint * INTERVAL '1 millisecond', bucket, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS block,
        weight, greatest(expected_ms, 60000)::float8 AS cell_ms, avg(CASE WHEN held_ms + before_ms + after_ms > 0 THEN (value_time + before * before_ms + value_last * after_ms) / (held_ms + before_ms + after_ms) ELSE value_sum / n_good END) AS mean, count(*) AS cells
    FROM (
        SELECT w.id, w.weight, w.expected_ms, r.bucket, r.n_good, r.value_sum, r.value_last, r.value_time, r.held_ms, 0::float8 AS before, 0::float8 AS before_ms,
            CASE WHEN r.heard_last IS NULL THEN held_ms(r.last_ts, r.bucket + INTERVAL '1 minute', w.limit_ms) ELSE 0 END AS after_ms
        FROM weighted w
        JOIN rollup_1m r ON r.point_id = w.id
        WHERE $7::smallint = 1 AND w.limit_ms IS NOT NULL AND r.bucket >= $4 AND r.bucket < $5 AND r.n_good > 0
        UNION ALL
        SELECT w.id, w.weight, w.expected_ms, s.bucket, s.n_good, s.value_sum, s.value_last, s.value_time, s.held_ms, coalesce(s.before, 0) AS before,
            CASE WHEN s.before_ts IS NULL THEN 0 ELSE date_part('epoch', s.heard - s.bucket) * 1000 END AS before_ms,
            CASE WHEN s.is_good_at_last THEN date_part('epoch', s.bucket + INTERVAL '1 minute' - s.last_ts) * 1000 ELSE 0 END AS after_ms
        FROM weighted w
        CROSS JOIN LATERAL (
            SELECT bucket, n_good, value_sum, last_ts, value_last, value_time, x.held_ms, coalesce(heard_first, first_ts) AS heard,
                heard_last IS NULL AS is_good_at_last,
                lag(CASE WHEN heard_last IS NULL THEN last_ts END, 1, w.before_ts) OVER (ORDER BY bucket) AS before_ts,
                lag(value_last, 1, w.before_value) OVER (ORDER BY bucket) AS before
            FROM rollup_1m x
            WHERE $7::smallint = 1 AND point_id = w.id AND bucket >= $4 AND bucket < $5
        ) s
        WHERE w.limit_ms IS NULL AND s.n_good > 0
        -- So that each is worked out once.
        OFFSET 0
    ) cell
    GROUP BY 1, id, 2, 3
    UNION ALL
    SELECT date_bin($6::bigint * INTERVAL '1 millisecond', bucket, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS block,
        weight, greatest(expected_ms, 600000)::float8 AS cell_ms, avg(CASE WHEN held_ms + before_ms + after_ms > 0 THEN (value_time + before * before_ms + value_last * after_ms) / (held_ms + before_ms + after_ms) ELSE value_sum / n_good END) AS mean, count(*) AS cells
    FROM (
        SELECT w.id, w.weight, w.expected_ms, r.bucket, r.n_good, r.value_sum, r.value_last, r.value_time, r.held_ms, 0::float8 AS before, 0::float8 AS before_ms,
            CASE WHEN r.heard_last IS NULL THEN held_ms(r.last_ts, r.bucket + INTERVAL '10 minutes', w.limit_ms) ELSE 0 END AS after_ms
        FROM weighted w
        JOIN rollup_10m r ON r.point_id = w.id
        WHERE $7::smallint = 2 AND w.limit_ms IS NOT NULL AND r.bucket >= $4 AND r.bucket < $5 AND r.n_good > 0
        UNION ALL
        SELECT w.id, w.weight, w.expected_ms, s.bucket, s.n_good, s.value_sum, s.value_last, s.value_time, s.held_ms, coalesce(s.before, 0) AS before,
            CASE WHEN s.before_ts IS NULL THEN 0 ELSE date_part('epoch', s.heard - s.bucket) * 1000 END AS before_ms,
            CASE WHEN s.is_good_at_last THEN date_part('epoch', s.bucket + INTERVAL '10 minutes' - s.last_ts) * 1000 ELSE 0 END AS after_ms
        FROM weighted w
        CROSS JOIN LATERAL (
            SELECT bucket, n_good, value_sum, last_ts, value_last, value_time, x.held_ms, coalesce(heard_first, first_ts) AS heard,
                heard_last IS NULL AS is_good_at_last,
                lag(CASE WHEN heard_last IS NULL THEN last_ts END, 1, w.before_ts) OVER (ORDER BY bucket) AS before_ts,
                lag(value_last, 1, w.before_value) OVER (ORDER BY bucket) AS before
            FROM rollup_10m x
            WHERE $7::smallint = 2 AND point_id = w.id AND bucket >= $4 AND bucket < $5
        ) s
        WHERE w.limit_ms IS NULL AND s.n_good > 0
        -- So that each is worked out once.
        OFFSET 0
    ) cell
    GROUP BY 1, id, 2, 3
    UNION ALL
    -- A block is one hour.
    SELECT bucket AS block, weight, greatest(expected_ms, 3600000)::float8 AS cell_ms, CASE WHEN held_ms + before_ms + after_ms > 0 THEN (value_time + before * before_ms + value_last * after_ms) / (held_ms + before_ms + after_ms) ELSE value_sum / n_good END AS mean, 1 AS cells
    FROM (
        SELECT w.id, w.weight, w.expected_ms, r.bucket, r.n_good, r.value_sum, r.value_last, r.value_time, r.held_ms, 0::float8 AS before, 0::float8 AS before_ms,
            CASE WHEN r.heard_last IS NULL THEN held_ms(r.last_ts, r.bucket + INTERVAL '1 hour', w.limit_ms) ELSE 0 END AS after_ms
        FROM weighted w
        JOIN rollup_1h r ON r.point_id = w.id
        WHERE $7::smallint = 3 AND w.limit_ms IS NOT NULL AND r.bucket >= $4 AND r.bucket < $5 AND r.n_good > 0
        UNION ALL
        SELECT w.id, w.weight, w.expected_ms, s.bucket, s.n_good, s.value_sum, s.value_last, s.value_time, s.held_ms, coalesce(s.before, 0) AS before,
            CASE WHEN s.before_ts IS NULL THEN 0 ELSE date_part('epoch', s.heard - s.bucket) * 1000 END AS before_ms,
            CASE WHEN s.is_good_at_last THEN date_part('epoch', s.bucket + INTERVAL '1 hour' - s.last_ts) * 1000 ELSE 0 END AS after_ms
        FROM weighted w
        CROSS JOIN LATERAL (
            SELECT bucket, n_good, value_sum, last_ts, value_last, value_time, x.held_ms, coalesce(heard_first, first_ts) AS heard,
                heard_last IS NULL AS is_good_at_last,
                lag(CASE WHEN heard_last IS NULL THEN last_ts END, 1, w.before_ts) OVER (ORDER BY bucket) AS before_ts,
                lag(value_last, 1, w.before_value) OVER (ORDER BY bucket) AS before
            FROM rollup_1h x
            WHERE $7::smallint = 3 AND point_id = w.id AND bucket >= $4 AND bucket < $5
        ) s
        WHERE w.limit_ms IS NULL AND s.n_good > 0
        -- So that each is worked out once.
        OFFSET 0
    ) cell
) AS means
GROUP BY block
ORDER BY block
