SELECT count(*) FROM manual_entry WHERE client_id = $1 AND withdrawn IS NULL
