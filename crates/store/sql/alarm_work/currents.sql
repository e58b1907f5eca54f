-- For each requested point the stored value with the nearest source time, at most $5 ms away, if its quality is usable.
SELECT w.nth, s.value
FROM unnest($2::int[], $3::bigint[], $4::timestamptz[]) AS w (nth, point_id, at)
JOIN point p ON p.client_id = $1 AND p.id = w.point_id
CROSS JOIN LATERAL (
    SELECT value
    FROM sample
    WHERE point_id = w.point_id AND ts BETWEEN w.at - $5::bigint * INTERVAL '1 millisecond' AND w.at + $5::bigint * INTERVAL '1 millisecond'
      AND value IS NOT NULL AND quality <= $6
    ORDER BY abs(date_part('epoch', ts - w.at))
    LIMIT 1
) s
