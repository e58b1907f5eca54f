INSERT INTO reset_handle (hash, email, until) VALUES ($1, $2, $3)
