DELETE FROM outage_gap WHERE client_id = $1 AND location_id = $2 AND since >= $3
