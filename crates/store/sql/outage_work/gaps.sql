-- Substations of which a switch has said something that had not before.
SELECT g.location_id, g.since
FROM outage_gap g
WHERE g.client_id = $1 AND EXISTS (SELECT FROM latest l WHERE l.client_id = $1 AND l.point_id = ANY (g.points) AND l.quality <= $2)
ORDER BY g.location_id
