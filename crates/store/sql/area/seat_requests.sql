-- The open requests of a utility to sit down at a desk. Those of sessions that have ended are not open any more.
SELECT r.id, r.desk_id, r.session_id, r.member_id, r.reason, r.made_by, r.made, r.expires
FROM seat_request r
WHERE r.client_id = $1 AND r.ended IS NULL AND EXISTS (SELECT FROM session s WHERE s.id = r.session_id AND s.client_id = $1 AND s.ended IS NULL)
ORDER BY r.id
