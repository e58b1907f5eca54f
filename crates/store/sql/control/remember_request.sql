INSERT INTO control_request (client_id, key, command_id, action, refusal, body, at) VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp())
ON CONFLICT (client_id, key) DO UPDATE SET
    command_id = excluded.command_id, action = excluded.action, refusal = excluded.refusal, body = excluded.body, at = excluded.at
