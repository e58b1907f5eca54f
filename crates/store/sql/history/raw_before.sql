-- The last valid value of the day before $3, and the source time of the last value of any quality. Values are kept since $4.
SELECT p.id AS point_id, h.heard, s.ts, s.value
FROM point p
CROSS JOIN LATERAL (SELECT max(ts) AS heard FROM sample WHERE point_id = p.id AND ts < $3 AND ts >= greatest($3::timestamptz - INTERVAL '1 day', $4)) h
LEFT JOIN LATERAL (
    SELECT ts, value FROM sample
    WHERE point_id = p.id AND ts < $3 AND ts >= greatest($3::timestamptz - INTERVAL '1 day', $4) AND quality < 3 AND value IS NOT NULL
    ORDER BY ts DESC
    LIMIT 1
) s ON true
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[]) AND h.heard IS NOT NULL
