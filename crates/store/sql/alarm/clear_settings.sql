DELETE FROM alarm_setting WHERE client_id = $1 AND point_id = $2
