UPDATE session SET limited = true WHERE id = $1
