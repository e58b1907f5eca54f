SELECT epoch, through, command_epoch, command_through FROM alarm_cursor WHERE client_id = $1
