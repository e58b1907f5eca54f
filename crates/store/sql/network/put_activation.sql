INSERT INTO network_activation (client_id, since, version, member_id, entered) VALUES ($1, $2, $3, $4, $5)
