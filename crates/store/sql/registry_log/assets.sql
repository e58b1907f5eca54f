SELECT id, client_id, location_id, code, name, type_id, class_name, device, kv, customers, control_asset_req, is_sbo_supported
FROM asset
WHERE id = ANY ($1)
