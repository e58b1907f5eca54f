SELECT
    n.id, n.client_id, n.level, n.parent_id, n.code, n.name, n.kv, n.lat, n.lon,
    (SELECT d.updated FROM drawing d WHERE d.location_id = n.id) AS drawing_stored
FROM node n
WHERE n.id = ANY ($1)
