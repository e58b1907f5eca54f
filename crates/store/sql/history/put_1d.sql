-- Buckets computed elsewhere. Stored buckets are kept.
INSERT INTO rollup_1d (point_id, bucket, first_ts, last_ts, value_min, value_max, value_sum, value_first, value_last, n, n_good, quality_worst,
    heard_first, heard_last, value_time, held_ms)
SELECT *
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::float8[], $6::float8[], $7::float8[], $8::float8[], $9::float8[],
    $10::int[], $11::int[], $12::smallint[], $13::timestamptz[], $14::timestamptz[], $15::float8[], $16::float8[])
ON CONFLICT (point_id, bucket) DO NOTHING
