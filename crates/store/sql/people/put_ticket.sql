-- A session has one unused ticket; a newer one replaces it.
INSERT INTO control_ticket (client_id, session_id, member_id, asset_id, until, direction)
SELECT s.client_id, s.id, s.member_id, $2, $3, $4 FROM session s WHERE s.id = $1 AND s.ended IS NULL
ON CONFLICT (session_id) WHERE used IS NULL DO UPDATE SET asset_id = excluded.asset_id, until = excluded.until, direction = excluded.direction
RETURNING id
