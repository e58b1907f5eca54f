-- Creates the row if necessary and locks it.
INSERT INTO throttle AS t (key, until, stale) VALUES ($1, $2, $2) ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING t.failures, t.until
