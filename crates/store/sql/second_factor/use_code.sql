UPDATE recovery_code SET used = $3 WHERE member_id = $1 AND hash = $2 AND used IS NULL
