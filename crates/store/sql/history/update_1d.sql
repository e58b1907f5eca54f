-- Recomputed days. A stored day with as many values is unchanged, and one with more has lost some of its parts to retention.
INSERT INTO rollup_1d AS r (point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst,
    heard_first, heard_last, value_time, held_ms)
SELECT *
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::float8[], $6::float8[], $7::float8[], $8::float8[], $9::float8[],
    $10::int[], $11::int[], $12::smallint[], $13::timestamptz[], $14::timestamptz[], $15::float8[], $16::float8[])
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
