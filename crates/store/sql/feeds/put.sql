INSERT INTO feeds (client_id, asset_id, location_id) SELECT $1, asset_id, location_id FROM unnest($2::bigint[], $3::bigint[]) AS given (asset_id, location_id)
