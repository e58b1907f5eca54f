-- Returns when each status point changed for the first time since $3, since when events are kept. Points without a change are left out.
SELECT p.id, e.source_ts
FROM point p
CROSS JOIN LATERAL (SELECT source_ts FROM event WHERE client_id = $1 AND point_id = p.id AND source_ts >= $3 ORDER BY source_ts LIMIT 1) e
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
