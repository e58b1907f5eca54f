DELETE FROM session_refresh WHERE session_id = $1 AND used IS NULL
