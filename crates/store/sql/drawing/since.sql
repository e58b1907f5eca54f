SELECT location_id, body, updated FROM drawing WHERE updated > $1 ORDER BY updated, location_id
