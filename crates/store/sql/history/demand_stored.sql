-- The quarters of an hour of points of a utility on days from $3 (inclusive) to $4 (exclusive), both midnights in UTC; the days of a point follow each other.
SELECT p.id, q.day, q.mean, q.minutes
FROM point p
CROSS JOIN LATERAL (SELECT day, mean, minutes FROM demand_quarter WHERE point_id = p.id AND day >= $3 AND day < $4 ORDER BY day) q
WHERE p.client_id = $1 AND p.id = ANY ($2::bigint[])
