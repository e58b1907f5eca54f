SELECT max(number) AS number FROM network_version WHERE client_id = $1
