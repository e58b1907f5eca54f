SELECT asset_id, location_id FROM feeds WHERE client_id = $1 ORDER BY asset_id
