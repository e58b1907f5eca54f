SELECT activations FROM outage_cursor WHERE client_id = $1
