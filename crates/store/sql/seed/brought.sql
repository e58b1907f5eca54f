SELECT until, done, registers FROM history_brought WHERE client_id = $1
