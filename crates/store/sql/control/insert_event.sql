INSERT INTO command_event (client_id, "offset", command_id, location_id, state, at, select_until, deadline, add_cause, message)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
