-- Events after an offset with the data of the bay: a breaker was opened by its protection if a relay of the same device operated in the five seconds before.
SELECT
    e.client_id, e.point_id, e.asset_id, e.location_id, e.source_ts, e.recv_ts, e.epoch, e.seq, e."offset", e.value, e.quality,
    a.name AS asset_name, n.name AS location_name, p.code, p.encoding, p.code = 'Pos' AND a.class_name = 'breaker' AS of_breaker,
    e.opened AND EXISTS (
        SELECT FROM point r
        JOIN event o ON o.point_id = r.id
        WHERE r.gateway_id = p.gateway_id AND r.device = p.device AND r.encoding = 'signal' AND r.code = 'Op'
          AND o.source_ts BETWEEN e.source_ts - interval '5 seconds' AND e.source_ts AND o.value = 1
    ) AS by_protection,
    e.opened AND opening_ordered(p.id, e.source_ts) AS ordered
FROM (
    SELECT e.*, p.code = 'Pos' AND a.class_name = 'breaker' AND e.value = CASE p.encoding WHEN 'double' THEN 1 ELSE 0 END AS opened
    FROM event e
    JOIN point p ON p.id = e.point_id
    JOIN asset a ON a.id = e.asset_id
    WHERE e.client_id = $1 AND e."offset" > $2
    ORDER BY e."offset"
    LIMIT $3
) e
JOIN point p ON p.id = e.point_id
JOIN asset a ON a.id = e.asset_id
JOIN node n ON n.id = e.location_id
ORDER BY e."offset"
