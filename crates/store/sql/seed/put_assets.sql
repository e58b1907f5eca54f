INSERT INTO asset (client_id, location_id, code, name, type_id, class_name, device, kv, customers, control_asset_req, is_sbo_supported)
SELECT * FROM unnest(
    $1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::float8[], $9::integer[], $10::boolean[], $11::boolean[])
ON CONFLICT (location_id, code) DO UPDATE SET
    client_id = excluded.client_id, name = excluded.name, type_id = excluded.type_id, class_name = excluded.class_name, device = excluded.device,
    kv = excluded.kv, customers = excluded.customers, control_asset_req = excluded.control_asset_req, is_sbo_supported = excluded.is_sbo_supported
RETURNING id, location_id, code
