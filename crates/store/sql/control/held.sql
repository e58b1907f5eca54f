-- The unfinished command of a point.
SELECT c.id, c.mode, c.state, c.from_status, c.to_status, c.session_id, c.member_id, c.operator, c.issued, c.due, c.moving, r.until
FROM reservation r
JOIN command c ON c.id = r.command_id
WHERE r.client_id = $1 AND r.point_id = $2 AND r.released IS NULL
