UPDATE session SET last_seen = $2 WHERE id = $1 AND ended IS NULL AND last_seen < $2
