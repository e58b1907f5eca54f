WHERE c.client_id = $1 AND c.id = $2
