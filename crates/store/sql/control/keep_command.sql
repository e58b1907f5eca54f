-- What the next decision about a command starts from.
UPDATE command SET issued = $3, due = $4, moving = $5 WHERE client_id = $1 AND id = $2
