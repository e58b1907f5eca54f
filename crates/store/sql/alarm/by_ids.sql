WHERE a.client_id = $1 AND a.id = ANY ($2::bigint[])
ORDER BY a.id
