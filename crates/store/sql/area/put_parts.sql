INSERT INTO area_part (client_id, area_id, node_id, container)
SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[])
