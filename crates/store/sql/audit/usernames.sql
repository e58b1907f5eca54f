SELECT id, username FROM member WHERE id = ANY($1)
