INSERT INTO feeder_supply (client_id, asset_id, connected_kva, agricultural) VALUES ($1, $2, $3, $4)
ON CONFLICT (asset_id) DO UPDATE SET connected_kva = excluded.connected_kva, agricultural = excluded.agricultural
