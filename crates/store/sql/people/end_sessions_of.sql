UPDATE session SET ended = $2 WHERE member_id = $1 AND ended IS NULL RETURNING id, client_id
