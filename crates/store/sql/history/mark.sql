-- See rollup_dirty.
INSERT INTO rollup_dirty (level, block, lo, hi)
SELECT $1::smallint, * FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[])
