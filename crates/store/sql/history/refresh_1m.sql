-- Ranges of blocks worked out anew; whole minutes that do not overlap. Values are only ever added to the history, so a bucket with as many as it has is the
-- same, and one with fewer has lost them to retention since: what is stored stays.
INSERT INTO rollup_1m AS r (point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst)
SELECT p.id, b.start, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
CROSS JOIN LATERAL (
    SELECT
        date_bin(INTERVAL '1 minute', ts, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS start,
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
