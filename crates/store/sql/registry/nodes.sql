SELECT n.id, n.client_id, n.level, n.parent_id, n.code, n.name, n.kv, n.lat, n.lon, d.updated AS drawing_stored
FROM node n
LEFT JOIN drawing d ON d.location_id = n.id
WHERE $1::bigint IS NULL OR n.client_id = $1
ORDER BY n.level, n.id
