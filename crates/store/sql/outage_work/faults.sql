-- The substations with outages whose cause was determined before the currents of their fault were recorded, for changes of faults between two
-- offsets. `since` is the start of the earliest of these outages, from which causes must be determined again.
SELECT o.location_id, min(o.worked_started) AS since
FROM fault_event c
JOIN fault f ON f.client_id = $1 AND f.id = c.fault_id
JOIN event e ON e.client_id = $1 AND e.point_id = f.point_id AND e.source_ts BETWEEN f.started AND f.opened
JOIN outage o ON o.client_id = $1 AND o.location_id = f.location_id AND o.worked_started = e.source_ts AND o.incident = e."offset"
WHERE c.client_id = $1 AND c."offset" > $2 AND c."offset" <= $3 AND num_nonnulls(f.current_r, f.current_y, f.current_b) > 0
  AND o.worked_cause IN ('unknown', 'planned', 'switching')
GROUP BY o.location_id
ORDER BY o.location_id
