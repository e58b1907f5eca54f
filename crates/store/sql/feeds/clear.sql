DELETE FROM feeds WHERE client_id = $1
