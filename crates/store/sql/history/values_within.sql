-- The values of points of a utility within ranges of their blocks of ids, in order for each point and range.
SELECT s.point_id, s.ts, s.value, s.quality, d.nth
FROM unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) WITH ORDINALITY AS d (block, lo, hi, nth)
JOIN point p ON p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND p.id >> 6 = d.block
CROSS JOIN LATERAL (SELECT point_id, ts, value, quality FROM sample WHERE point_id = p.id AND ts >= d.lo AND ts < d.hi ORDER BY ts) s
