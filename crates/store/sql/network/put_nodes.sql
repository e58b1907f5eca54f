INSERT INTO network_node (client_id, first_version, id, name, container, nominal_kv, is_internal, lon, lat)
SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[], $6::float8[], $7::boolean[], $8::float8[], $9::float8[])
