UPDATE area SET desk_id = $3, since = $4, held_by = $5, how = $6 WHERE client_id = $1 AND id = $2
