-- Since when each level of the history is kept. A level without a row is kept for ever.
SELECT level, since FROM history_kept
