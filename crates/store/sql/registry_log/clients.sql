SELECT id, code, name, time_zone, config FROM client WHERE id = ANY ($1)
