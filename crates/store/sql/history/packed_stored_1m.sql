-- The rows that start from $3 (inclusive) to $4 (exclusive); for each point also the last row before them, and the last one with a usable value.
SELECT r.point_id, r.start, r.base, r.step, r.n::integer[], r.bad::integer[], r.worst, r.last_at, r.first_at, r.received_first, r.received_last, r.held_ms,
    r.value_last, r.value_first, r.value_min, r.value_max, r.value_mean, r.exact_last, r.exact_first, r.exact_min, r.exact_max, r.exact_mean
FROM point p
JOIN rollup_1m r ON r.point_id = p.id
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND r.start >= $3 AND r.start < $4
UNION ALL
SELECT r.point_id, r.start, r.base, r.step, r.n::integer[], r.bad::integer[], r.worst, r.last_at, r.first_at, r.received_first, r.received_last, r.held_ms,
    r.value_last, r.value_first, r.value_min, r.value_max, r.value_mean, r.exact_last, r.exact_first, r.exact_min, r.exact_max, r.exact_mean
FROM point p
CROSS JOIN LATERAL (
    (SELECT start FROM rollup_1m WHERE point_id = p.id AND start < $3 ORDER BY start DESC LIMIT 1)
    UNION
    (SELECT start FROM rollup_1m
    WHERE point_id = p.id AND start < $3 AND (value_last IS NOT NULL OR exact_last IS NOT NULL)
    ORDER BY start DESC LIMIT 1)
) newest
JOIN rollup_1m r ON r.point_id = p.id AND r.start = newest.start
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
