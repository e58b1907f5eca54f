-- Whole chunks of the history that lie before an instant.
SELECT drop_chunks('sample', $1::timestamptz)
