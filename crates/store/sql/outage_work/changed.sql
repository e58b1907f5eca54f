-- The substations in which switches changed or relays operated between two offsets, with the earliest source time of these events, and
-- the earliest one of the last day. A breaker opens after its relay, so that time is early enough.
SELECT e.location_id, min(e.source_ts) AS since, min(e.source_ts) FILTER (WHERE e.source_ts >= now() - interval '1 day') AS recent, count(*) AS events
FROM event e
JOIN point p ON p.id = e.point_id
WHERE e.client_id = $1 AND e."offset" > $2 AND e."offset" <= $3
  AND (p.encoding IN ('double', 'single') OR p.encoding = 'signal' AND p.code = 'Op' AND e.value = 1)
GROUP BY e.location_id
ORDER BY e.location_id
