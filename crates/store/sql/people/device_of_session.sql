SELECT device FROM session WHERE id = $1 AND device IS NOT NULL
