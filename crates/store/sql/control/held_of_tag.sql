-- The points with an unfinished command that a tag covers: of an asset, of a bay of a substation, or of the whole substation.
SELECT r.point_id
FROM reservation r
JOIN point p ON p.id = r.point_id
WHERE r.client_id = $1 AND r.location_id = $2 AND r.released IS NULL
    AND CASE $3::text WHEN 'device' THEN p.asset_id = $4 WHEN 'bay' THEN p.device = $5 ELSE true END
ORDER BY r.point_id
