-- The gateways of some points ($2), and the numbers of their latest readings.
SELECT p.gateway_id, l.epoch, l.seq
FROM point p
LEFT JOIN latest l ON l.client_id = p.client_id AND l.point_id = p.id
WHERE p.client_id = $1 AND p.id = ANY ($2)
