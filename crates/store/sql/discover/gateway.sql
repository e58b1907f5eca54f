SELECT id, location_id FROM gateway WHERE client_id = $1 AND code = $2
