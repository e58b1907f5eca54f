SELECT recv_ts FROM event WHERE client_id = $1 AND "offset" = $2 LIMIT 1
