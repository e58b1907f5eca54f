-- Substations with a switch that had never reported and has reported since.
SELECT g.location_id, g.since
FROM outage_gap g
WHERE g.client_id = $1 AND EXISTS (SELECT FROM latest l WHERE l.client_id = $1 AND l.point_id = ANY (g.points) AND l.quality <= $2)
ORDER BY g.location_id
