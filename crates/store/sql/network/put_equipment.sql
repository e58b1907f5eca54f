INSERT INTO network_equipment (client_id, first_version, id, kind, name, container, in_service, terminals, electrical)
SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::jsonb[], $9::jsonb[])
