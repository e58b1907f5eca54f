SELECT s.point_id, s.ts, s.value, s.quality
FROM point p
CROSS JOIN LATERAL (
    SELECT point_id, ts, value, quality FROM sample
    WHERE point_id = p.id AND ts < $3 AND ts >= greatest($3 - INTERVAL '15 minutes', $4)
    ORDER BY ts DESC
    LIMIT 1
) s
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
