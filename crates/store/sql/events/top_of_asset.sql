SELECT coalesce(max("offset"), 0) AS top FROM event WHERE client_id = $1 AND asset_id = $2
