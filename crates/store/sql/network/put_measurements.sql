INSERT INTO network_measurement (client_id, first_version, id, equipment, terminal, quantity, phases, point)
SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::smallint[], $6::text[], $7::text[], $8::text[])
