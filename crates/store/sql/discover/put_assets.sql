INSERT INTO asset (client_id, location_id, code, name, type_id, class_name, device)
SELECT $1, $2, code, code, type_id, class_name, device
FROM unnest($3::text[], $4::integer[], $5::text[], $6::text[]) AS t (code, type_id, class_name, device)
ON CONFLICT (location_id, code) DO NOTHING
