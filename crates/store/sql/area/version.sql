SELECT top FROM stream WHERE client_id = $1 AND kind = 'area'
