-- The number of values of some points from $3 (inclusive) to $4 (exclusive), by quality. Points without values are left out.
SELECT p.id AS point_id, s.n, s.good, s.uncertain, s.first_ts, s.last_ts
FROM point p
CROSS JOIN LATERAL (
    SELECT
        count(*) AS n,
        count(*) FILTER (WHERE value IS NOT NULL AND quality = 0) AS good,
        count(*) FILTER (WHERE value IS NOT NULL AND quality IN (1, 2)) AS uncertain,
        min(ts) AS first_ts,
        max(ts) AS last_ts
    FROM sample
    WHERE point_id = p.id AND ts >= $3 AND ts < $4
) s
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND s.n > 0
