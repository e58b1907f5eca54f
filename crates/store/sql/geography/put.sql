INSERT INTO geography (client_id, number, kind, name, kv, location_id, to_location_id, asset_id, path)
SELECT $1, number, kind, name, kv, location_id, to_location_id, asset_id, path
FROM unnest($2::int[], $3::text[], $4::text[], $5::float8[], $6::bigint[], $7::bigint[], $8::bigint[], $9::jsonb[])
    AS given (number, kind, name, kv, location_id, to_location_id, asset_id, path)
