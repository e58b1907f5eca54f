UPDATE desk SET name = $3 WHERE client_id = $1 AND id = $2
