-- So that there is a row to lock.
INSERT INTO throttle (key, until, stale) VALUES ($1, $2, $2) ON CONFLICT (key) DO NOTHING
