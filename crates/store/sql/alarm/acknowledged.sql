-- Acknowledgements since a time, for alarms of some points that were raised before another time, oldest first.
SELECT e.point_id, e.kind, e.first_raised AS raised, e.acknowledged, e.acknowledged_by
FROM alarm_event e
WHERE e.client_id = $1 AND e.point_id = ANY ($2::bigint[]) AND e.change = 'acknowledged' AND e.at >= $3 AND e.first_raised < $4 AND e.acknowledged IS NOT NULL
ORDER BY e."offset"
LIMIT $5
