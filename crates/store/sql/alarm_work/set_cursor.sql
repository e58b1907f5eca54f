INSERT INTO alarm_cursor (client_id, epoch, through, command_epoch, command_through) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (client_id) DO UPDATE SET
    epoch = excluded.epoch, through = excluded.through, command_epoch = excluded.command_epoch, command_through = excluded.command_through
