INSERT INTO node (client_id, level, parent_id, code, name, kv, lat, lon)
SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[])
ON CONFLICT (client_id, level, code) DO UPDATE SET
    parent_id = excluded.parent_id, name = excluded.name, kv = excluded.kv, lat = excluded.lat, lon = excluded.lon
RETURNING id, code
