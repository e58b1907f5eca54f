-- The index by location and offset gives each station's newest row at once, however long its history is. The oldest rows are deleted with time.
SELECT n.id AS location_id, newest."offset", (SELECT min("offset") FROM alarm_event WHERE client_id = $1) AS oldest
FROM node n
CROSS JOIN LATERAL (SELECT max(e."offset") AS "offset" FROM alarm_event e WHERE e.client_id = $1 AND e.location_id = n.id AND e."offset" <= $2) newest
WHERE n.client_id = $1 AND newest."offset" IS NOT NULL
