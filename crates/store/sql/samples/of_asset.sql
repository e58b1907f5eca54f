SELECT s.ts, s.recv_ts, s.value, s.quality, p.code, p.unit
FROM point p
JOIN sample s ON s.point_id = p.id
WHERE p.client_id = $1 AND p.asset_id = $2 AND p.code = ANY ($3) AND p.encoding IS NULL AND s.ts >= $4 AND s.ts < $5
ORDER BY s.ts, p.id
LIMIT $6
