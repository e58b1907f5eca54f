-- The substations in which switches have moved or relays operated between two places of the stream, and when the oldest of these events happened: what a relay
-- opened comes after it.
SELECT e.location_id, min(e.source_ts) AS since, count(*) AS events
FROM event e
JOIN point p ON p.id = e.point_id
WHERE e.client_id = $1 AND e."offset" > $2 AND e."offset" <= $3
  AND (p.encoding IN ('double', 'single') OR p.encoding = 'signal' AND p.code = 'Op' AND e.value = 1)
GROUP BY e.location_id
ORDER BY e.location_id
