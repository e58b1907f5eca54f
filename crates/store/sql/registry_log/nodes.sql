SELECT
    n.id, n.client_id, n.level, n.parent_id, n.code, n.name, n.kv, n.lat, n.lon,
    EXISTS (SELECT FROM drawing d WHERE d.location_id = n.id) AS has_drawing
FROM node n
WHERE n.id = ANY ($1)
