SELECT source FROM alarm WHERE client_id = $1 AND shelved_until <= now() ORDER BY id LIMIT 1000
