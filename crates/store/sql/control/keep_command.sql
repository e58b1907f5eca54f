-- Stores the state from which the next decision about a command starts.
UPDATE command SET issued = $3, due = $4, moving = $5 WHERE client_id = $1 AND id = $2
