UPDATE node SET lat = given.lat, lon = given.lon
FROM unnest($2::bigint[], $3::float8[], $4::float8[]) AS given (id, lat, lon)
WHERE node.client_id = $1 AND node.id = given.id AND node.level = 6
