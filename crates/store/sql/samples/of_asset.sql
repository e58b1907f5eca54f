-- The first values of each point, so that no more rows are read and sorted than can be in the answer.
SELECT s.ts, s.recv_ts, s.value, s.quality, p.code, p.unit
FROM point p
CROSS JOIN LATERAL (
    SELECT ts, recv_ts, value, quality FROM sample WHERE point_id = p.id AND ts >= $4 AND ts < $5 ORDER BY ts LIMIT $6
) s
WHERE p.client_id = $1 AND p.asset_id = $2 AND p.code = ANY ($3) AND p.encoding IS NULL
ORDER BY s.ts, p.id
LIMIT $6
