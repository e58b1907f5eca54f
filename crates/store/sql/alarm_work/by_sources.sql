WHERE a.client_id = $1 AND a.source = ANY ($2::text[])
