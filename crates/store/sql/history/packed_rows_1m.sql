-- The rows of some points that start from a time (inclusive) to another (exclusive), in order for each point and range.
SELECT r.point_id, r.start, r.base, r.step, r.n::integer[], r.bad::integer[], r.worst, r.last_at, r.first_at, r.received_first, r.received_last, r.held_ms,
    r.value_last, r.value_first, r.value_min, r.value_max, r.value_mean, r.exact_last, r.exact_first, r.exact_min, r.exact_max, r.exact_mean, d.nth
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS d (point_id, lo, hi, nth)
CROSS JOIN LATERAL (SELECT * FROM rollup_1m WHERE point_id = d.point_id AND start >= d.lo AND start < d.hi ORDER BY start) r
