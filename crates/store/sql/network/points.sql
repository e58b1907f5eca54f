-- The points that the measurements of a version name.
SELECT m.id, p.id AS point_id
FROM network_measurement m
JOIN gateway g ON g.client_id = m.client_id AND g.code = split_part(m.point, '/', 1)
JOIN point p ON p.client_id = m.client_id AND p.gateway_id = g.id AND p.device = split_part(m.point, '/', 2)
    AND p.metric = substr(m.point, length(split_part(m.point, '/', 1)) + length(split_part(m.point, '/', 2)) + 3)
WHERE m.client_id = $1 AND m.point IS NOT NULL AND m.first_version <= $2 AND (m.last_version IS NULL OR m.last_version >= $2)
ORDER BY m.id
