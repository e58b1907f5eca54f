SELECT area_id, node_id, container FROM area_part WHERE client_id = $1
