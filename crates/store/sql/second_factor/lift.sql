UPDATE session SET limited = false WHERE id = $2 AND member_id = $1 AND limited
