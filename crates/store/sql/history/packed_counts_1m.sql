-- The counts of the rows of measurands that start within ranges of their blocks of ids.
SELECT r.point_id, r.start, r.n::integer[]
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS d (block, lo, hi)
JOIN point p ON p.id >= d.block << 6 AND p.id < (d.block + 1) << 6 AND p.encoding IS NULL
CROSS JOIN LATERAL (SELECT point_id, start, n FROM rollup_1m WHERE point_id = p.id AND start >= d.lo AND start < d.hi ORDER BY start) r
