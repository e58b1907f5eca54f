SELECT asset_id, connected_kva, agricultural FROM feeder_supply WHERE client_id = $1 ORDER BY asset_id
