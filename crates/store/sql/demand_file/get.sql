SELECT kw, lat, lon FROM demand_file WHERE client_id = $1 AND member_id = $2 AND device_id = $3 AND handle_hash = $4 AND expires > $5
