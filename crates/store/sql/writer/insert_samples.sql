INSERT INTO sample (point_id, ts, recv_ts, value, quality)
SELECT * FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::float8[], $5::smallint[])
ON CONFLICT (point_id, ts) DO NOTHING
