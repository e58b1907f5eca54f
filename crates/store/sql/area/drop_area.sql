DELETE FROM area WHERE client_id = $1 AND id = $2
