-- The switches of a utility with a command that was sent and whose end is not stored, even after its deadline. Their positions may change at any moment.
SELECT r.point_id
FROM reservation r
JOIN command c ON c.id = r.command_id
WHERE r.client_id = $1 AND c.client_id = $1 AND r.released IS NULL AND c.state IN ('SENT', 'ACCEPTED')
ORDER BY r.point_id
