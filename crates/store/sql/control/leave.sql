DELETE FROM control_service WHERE id = $1 OR seen < clock_timestamp() - INTERVAL '1 day'
