INSERT INTO session_desk (session_id, client_id, desk_id, since) VALUES ($2, $1, $3, $4)
ON CONFLICT (session_id) DO UPDATE SET client_id = excluded.client_id, desk_id = excluded.desk_id, since = excluded.since
