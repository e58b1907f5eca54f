DELETE FROM outage_gap WHERE client_id = $1 AND location_id = ANY ($2::bigint[]) AND since >= $3
