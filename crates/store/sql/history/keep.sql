-- Moves the times since which levels are kept forward; back only from a time in the future ($3 is now).
INSERT INTO history_kept (level, since)
SELECT * FROM unnest($1::text[], $2::timestamptz[])
ON CONFLICT (level) DO UPDATE SET since = excluded.since
WHERE history_kept.since < excluded.since OR history_kept.since > $3
