-- The areas of some nodes and containers.
SELECT area_id, node_id, container FROM area_part WHERE client_id = $1 AND (node_id = ANY ($2::bigint[]) OR container = ANY ($3::text[]))
