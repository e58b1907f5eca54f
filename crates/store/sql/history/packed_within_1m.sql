-- The rows of points of a utility that start within ranges of their blocks of ids, in order for each point and range.
SELECT r.point_id, r.start, r.base, r.step, r.n::integer[], r.bad::integer[], r.worst, r.last_at, r.first_at, r.received_first, r.received_last, r.held_ms,
    r.value_last, r.value_first, r.value_min, r.value_max, r.value_mean, r.exact_last, r.exact_first, r.exact_min, r.exact_max, r.exact_mean, d.nth
FROM unnest($3::bigint[], $4::timestamptz[], $5::timestamptz[]) WITH ORDINALITY AS d (block, lo, hi, nth)
JOIN point p ON p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND p.id >> 6 = d.block
CROSS JOIN LATERAL (SELECT * FROM rollup_1m WHERE point_id = p.id AND start >= d.lo AND start < d.hi ORDER BY start) r
