-- No row if the parent is not a node of the level above in the same utility.
INSERT INTO node (client_id, level, parent_id, code, name, kv, lat, lon)
SELECT $1::bigint, $2::smallint, $3::bigint, $4, $5, $6, $7::float8, $8::float8
WHERE CASE WHEN $3::bigint IS NULL THEN $2::smallint = 1
      ELSE EXISTS (SELECT FROM node WHERE client_id = $1 AND id = $3 AND level = $2::smallint - 1) END
ON CONFLICT (client_id, level, code) DO UPDATE SET
    parent_id = excluded.parent_id, name = excluded.name, kv = excluded.kv, lat = excluded.lat, lon = excluded.lon
RETURNING id
