SELECT id, code, name, time_zone, config
FROM client
WHERE $1::bigint IS NULL OR id = $1
ORDER BY id
