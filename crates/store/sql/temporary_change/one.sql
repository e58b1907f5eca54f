WHERE t.client_id = $1 AND t.id = $2
