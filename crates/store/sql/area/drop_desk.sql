DELETE FROM desk WHERE client_id = $1 AND id = $2
