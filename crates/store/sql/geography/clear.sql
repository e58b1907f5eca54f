DELETE FROM geography WHERE client_id = $1
