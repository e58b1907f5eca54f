SELECT location_id, body, updated FROM drawing WHERE location_id = ANY ($1) ORDER BY location_id
