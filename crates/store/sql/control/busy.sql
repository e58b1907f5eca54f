-- Other devices of the substation that are reserved. A command that was sent reserves its device until its end is stored, even after its deadline.
SELECT a.id AS asset_id, a.name AS asset_name, p.device
FROM reservation r
JOIN command c ON c.id = r.command_id
JOIN point p ON p.id = r.point_id
JOIN asset a ON a.id = p.asset_id
WHERE r.client_id = $1 AND r.location_id = $2 AND r.point_id <> $3 AND r.released IS NULL
    AND (c.state IN ('SENT', 'ACCEPTED') OR c.due > clock_timestamp())
ORDER BY a.id
