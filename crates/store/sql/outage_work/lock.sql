SELECT worker FROM outage_cursor WHERE client_id = $1 FOR UPDATE
