DELETE FROM page_access WHERE client_id = $1 AND role_id = $2
