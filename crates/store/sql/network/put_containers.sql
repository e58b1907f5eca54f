INSERT INTO network_container (client_id, first_version, id, kind, name, parent, nominal_kv, lon, lat)
SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[], $9::float8[])
