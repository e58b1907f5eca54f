SELECT coalesce(max(top), 0) AS top FROM stream WHERE client_id = $1 AND kind = 'tag'
