INSERT INTO alarm_cursor (client_id, epoch, through) VALUES ($1, $2, $3)
ON CONFLICT (client_id) DO UPDATE SET epoch = excluded.epoch, through = excluded.through
