-- As mark, of what could not be worked out.
INSERT INTO rollup_dirty (level, block, lo, hi, aside)
SELECT $1::smallint, *, true FROM unnest($2::bigint[], $3::timestamptz[], $4::timestamptz[])
