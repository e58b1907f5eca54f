-- Waits for operations that hold the version, and raises it. The time is that of the database after the wait.
UPDATE stream SET top = top + 1 WHERE client_id = $1 AND kind = 'area' RETURNING top, clock_timestamp() AS now
