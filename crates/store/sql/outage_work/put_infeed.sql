INSERT INTO infeed_change (client_id, asset_id, at, is_live) VALUES ($1, $2, $3, $4)
ON CONFLICT (asset_id, at) DO UPDATE SET is_live = excluded.is_live
