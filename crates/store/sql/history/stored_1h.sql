-- Buckets from $3 (inclusive) to $4 (exclusive), and the last bucket before them with a value, and whether buckets without a value followed it.
SELECT r.point_id, r.bucket, r.first_ts, r.last_ts, r.value_min, r.value_max, r.value_sum, r.value_first, r.value_last, r.n, r.n_good, r.quality_worst,
    r.heard_first, r.heard_last, r.value_time, r.held_ms, false AS followed
FROM point p
JOIN rollup_1h r ON r.point_id = p.id
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND r.bucket >= $3 AND r.bucket < $4
UNION ALL
SELECT b.*
FROM point p
CROSS JOIN LATERAL (
    SELECT r.point_id, r.bucket, r.first_ts, r.last_ts, r.value_min, r.value_max, r.value_sum, r.value_first, r.value_last, r.n, r.n_good, r.quality_worst,
        r.heard_first, r.heard_last, r.value_time, r.held_ms,
        EXISTS (SELECT FROM rollup_1h x WHERE x.point_id = r.point_id AND x.bucket > r.bucket AND x.bucket < $3) AS followed
    FROM rollup_1h r
    WHERE r.point_id = p.id AND r.bucket < $3 AND r.n_good > 0
    ORDER BY r.bucket DESC
    LIMIT 1
) b
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
