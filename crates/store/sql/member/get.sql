WHERE m.client_id = $1 AND m.id = $2
