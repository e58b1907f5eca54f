DELETE FROM relay_setting WHERE client_id = $1 AND asset_id = $2
