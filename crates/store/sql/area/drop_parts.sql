DELETE FROM area_part WHERE client_id = $1
