SELECT coalesce(max("offset"), 0) AS top FROM command_event WHERE client_id = $1 AND location_id = $2
