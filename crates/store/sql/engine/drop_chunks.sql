-- Drops the chunks of the history that end before a time.
SELECT drop_chunks('sample', $1::timestamptz)
