-- The points of an asset that have an unfinished command.
SELECT r.point_id
FROM reservation r
JOIN point p ON p.id = r.point_id
WHERE r.client_id = $1 AND p.asset_id = $2 AND r.released IS NULL
ORDER BY r.point_id
