-- The row is there and locked afterwards, whether it was there or not.
INSERT INTO throttle AS t (key, until, stale) VALUES ($1, $2, $2) ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING t.failures, t.until
