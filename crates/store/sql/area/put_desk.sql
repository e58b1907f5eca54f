INSERT INTO desk (client_id, name) VALUES ($1, $2)
