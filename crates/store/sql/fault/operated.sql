-- When a relay of the bay operated before the first opening of each fault: the newest time in the five seconds before it, as for the faults themselves
-- (alarm_work/events.sql). Events are kept since $3.
SELECT f.id, max(o.source_ts) AS operated
FROM fault f
JOIN point p ON p.id = f.point_id
JOIN point r ON r.gateway_id = p.gateway_id AND r.device = p.device AND r.encoding = 'signal' AND r.code = 'Op'
JOIN event o ON o.point_id = r.id AND o.source_ts BETWEEN f.started - interval '5 seconds' AND f.started AND o.value = 1 AND o.source_ts >= $3
WHERE f.client_id = $1 AND f.id = ANY ($2)
GROUP BY f.id
