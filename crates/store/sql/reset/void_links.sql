UPDATE password_reset SET used = $2 WHERE member_id = $1 AND used IS NULL
