UPDATE stream SET top = $2 WHERE client_id = $1 AND kind = 'fault'
