-- Drops the chunks of a table that end before a time.
SELECT drop_chunks($1::text::regclass, $2::timestamptz)
