DELETE FROM register_step WHERE client_id = $1 AND point_id = $2 AND at >= $3 AND at < $3 + interval '1 millisecond' RETURNING amount, confirmed_by, note
