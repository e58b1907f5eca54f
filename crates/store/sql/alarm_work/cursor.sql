SELECT epoch, through FROM alarm_cursor WHERE client_id = $1
