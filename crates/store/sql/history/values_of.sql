-- The values of some points from a time (inclusive) to another (exclusive), in order for each point and range.
SELECT s.point_id, s.ts, s.value, s.quality, d.nth
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS d (point_id, lo, hi, nth)
CROSS JOIN LATERAL (SELECT point_id, ts, value, quality FROM sample WHERE point_id = d.point_id AND ts >= d.lo AND ts < d.hi ORDER BY ts) s
