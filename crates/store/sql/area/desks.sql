SELECT id, name, is_default FROM desk WHERE client_id = $1 ORDER BY name, id
