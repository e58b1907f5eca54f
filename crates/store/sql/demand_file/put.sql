-- No row if the site was deleted meanwhile.
INSERT INTO demand_file (handle_hash, client_id, device_id, member_id, kw, lat, lon, created, expires)
SELECT $1::bytea, s.client_id, s.device_id, $4::bigint, $5::float8[], $6::float8, $7::float8, $8::timestamptz, $9::timestamptz
FROM low_carbon_site s
WHERE s.client_id = $2 AND s.device_id = $3
