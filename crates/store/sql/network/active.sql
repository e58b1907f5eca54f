SELECT version, since FROM network_activation WHERE client_id = $1 AND since <= $2 ORDER BY since DESC LIMIT 1
