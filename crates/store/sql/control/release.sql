UPDATE reservation SET released = clock_timestamp() WHERE client_id = $1 AND command_id = $2 AND released IS NULL
