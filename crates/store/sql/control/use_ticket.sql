UPDATE control_ticket SET used = clock_timestamp() WHERE id = $1 AND used IS NULL
