UPDATE seat_request SET ended = $3, outcome = $4 WHERE client_id = $1 AND id = $2 AND ended IS NULL
