INSERT INTO password_reset (hash, client_id, member_id, until)
SELECT $1, client_id, id, $3 FROM member WHERE id = $2 AND NOT disabled AND NOT demo
RETURNING member_id
