-- Counts one of at most $4 uses within any $3 ms. No row if the limit is reached.
INSERT INTO throttle AS t (key, recent, stale)
VALUES ($1, ARRAY[$2::timestamptz], $2::timestamptz + $3::bigint * INTERVAL '1 millisecond')
ON CONFLICT (key) DO UPDATE SET
    recent = ARRAY(SELECT used FROM unnest(t.recent) AS used WHERE used > $2 - $3 * INTERVAL '1 millisecond') || $2,
    stale = excluded.stale
WHERE (SELECT count(*) FROM unnest(t.recent) AS used WHERE used > $2 - $3 * INTERVAL '1 millisecond') < $4::bigint
RETURNING key
