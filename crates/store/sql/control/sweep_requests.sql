DELETE FROM control_request WHERE at < clock_timestamp() - INTERVAL '1 day'
