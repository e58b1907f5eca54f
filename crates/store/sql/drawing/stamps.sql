SELECT location_id, updated FROM drawing WHERE client_id = $1
