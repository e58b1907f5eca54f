UPDATE reset_handle SET used = $2 WHERE hash = $1 AND used IS NULL AND until > $2 RETURNING email
