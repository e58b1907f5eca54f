SELECT location_id, body, updated FROM drawing WHERE client_id = $1 AND location_id = $2
