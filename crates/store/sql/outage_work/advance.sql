UPDATE outage_cursor SET epoch = $3, through = $4 WHERE client_id = $1 AND worker = $2
