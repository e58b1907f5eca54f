DELETE FROM outage WHERE client_id = $1 AND id = ANY ($2::bigint[])
