-- Substations with events whose outages were computed without a feeder or drawing that exists now, or with another momentary threshold, and the time of their
-- first event.
SELECT f.location_id, e.since
FROM (SELECT location_id, array_agg(id) AS feeders FROM asset WHERE client_id = $1 AND type_id = $2 GROUP BY location_id) f
LEFT JOIN outage_layout l ON l.location_id = f.location_id
CROSS JOIN LATERAL (
    SELECT source_ts AS since FROM event WHERE client_id = $1 AND location_id = f.location_id ORDER BY source_ts LIMIT 1
) e
WHERE l.location_id IS NULL
   OR NOT f.feeders <@ l.feeders
   OR l.momentary_ms <> $3
   OR NOT l.is_drawn AND EXISTS (SELECT FROM drawing d WHERE d.location_id = f.location_id)
ORDER BY f.location_id
