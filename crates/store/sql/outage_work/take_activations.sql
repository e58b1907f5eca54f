UPDATE outage_cursor SET activations = $3 WHERE client_id = $1 AND worker = $2
