-- As mark, for ranges that could not be computed.
INSERT INTO rollup_dirty (level, block, lo, hi, aside)
SELECT $1::smallint, *, true FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[])
