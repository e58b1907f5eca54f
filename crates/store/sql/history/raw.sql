-- Values from $3 (inclusive) to $4 (exclusive), at most $5 for each point.
SELECT s.*
FROM point p
CROSS JOIN LATERAL (
    SELECT point_id, ts, value, quality FROM sample WHERE point_id = p.id AND ts >= $3 AND ts < $4 ORDER BY ts LIMIT $5
) s
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
