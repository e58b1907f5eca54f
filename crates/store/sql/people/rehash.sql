UPDATE member SET password_hash = $3 WHERE id = $1 AND password_hash = $2
