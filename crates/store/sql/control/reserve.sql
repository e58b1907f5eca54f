INSERT INTO reservation (command_id, client_id, point_id, location_id, session_id, member_id, holder, until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (command_id) DO UPDATE SET until = excluded.until
