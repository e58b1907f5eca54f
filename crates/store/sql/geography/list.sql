SELECT kind, name, kv, location_id, to_location_id, asset_id, path
FROM geography
WHERE client_id = $1
ORDER BY kind DESC, number
