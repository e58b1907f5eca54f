UPDATE client SET name = $2, time_zone = $3, config = $4 WHERE id = $1
RETURNING id, code, name, time_zone, config
