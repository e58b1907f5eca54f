-- As refresh_10m, for all days that the ranges touch, in the time zone of each point's utility. These ranges can overlap and need not be aligned. Computed from
-- ten minutes, because some time zones differ from UTC by a part of an hour.
WITH day AS (
    SELECT DISTINCT
        p.id AS point_id, age_limit_ms(p.expected_ms) AS limit_ms,
        d.start AT TIME ZONE z.zone AS start, (d.start + INTERVAL '1 day') AT TIME ZONE z.zone AS next_day
    FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS range (block, lo, hi)
    JOIN point p ON p.id >= range.block << 6 AND p.id < (range.block + 1) << 6 AND p.encoding IS NULL
    JOIN (SELECT id, known_zone(time_zone) AS zone FROM client) z ON z.id = p.client_id
    CROSS JOIN LATERAL generate_series(
        date_trunc('day', range.lo AT TIME ZONE z.zone), (range.hi - INTERVAL '1 microsecond') AT TIME ZONE z.zone, INTERVAL '1 day') AS d (start)
)
INSERT INTO rollup_1d AS r (
    point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst,
    heard_first, heard_last, value_time, held_ms)
SELECT day.point_id, day.start, b.first_ts, b.last_ts, b.value_min, b.value_max, b.value_sum, b.value_first, b.value_last, b.n, b.n_good, b.quality_worst,
    nullif(b.heard_first, b.first_ts), nullif(b.heard_last, b.last_ts),
    CASE WHEN b.has_times THEN b.value_time + coalesce(b.value_time_between, 0) END, CASE WHEN b.has_times THEN b.held_ms + coalesce(b.held_ms_between, 0) END
FROM day
CROSS JOIN LATERAL (
    SELECT
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
        sum(value_last * held_ms(last_ts, next, day.limit_ms)) FILTER (WHERE heard_last IS NULL AND next IS NOT NULL) AS value_time_between,
        sum(held_ms(last_ts, next, day.limit_ms)) FILTER (WHERE heard_last IS NULL AND next IS NOT NULL) AS held_ms_between
    FROM (
        SELECT *, lead(coalesce(heard_first, first_ts)) OVER (ORDER BY bucket) AS next
        FROM rollup_10m
        WHERE point_id = day.point_id AND bucket >= day.start AND bucket < day.next_day
    ) s
    HAVING count(*) > 0
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
