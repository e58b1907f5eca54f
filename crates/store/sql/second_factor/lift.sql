UPDATE session SET limited = false WHERE member_id = $1 AND limited
