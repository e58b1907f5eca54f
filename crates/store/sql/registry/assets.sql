SELECT
    id, client_id, location_id, code, name, type_id, class_name, device, kv, coalesce(customers, 0) AS customers, customers IS NOT NULL AS customers_known,
    control_asset_req, is_sbo_supported, (SELECT feeds.location_id FROM feeds WHERE feeds.asset_id = asset.id) AS feeds
FROM asset
WHERE $1::bigint IS NULL OR client_id = $1
ORDER BY id
