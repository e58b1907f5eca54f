-- Neither a success nor a failure: this attempt is subtracted, earlier failures are kept. Its delay is removed unless another failure came after it.
WITH locked AS (
    SELECT key FROM throttle WHERE key = ANY($1) ORDER BY key FOR UPDATE
)
UPDATE throttle SET
    recent = array_remove(recent, $2::timestamptz),
    failures = greatest(failures - 1, 0),
    until = CASE WHEN failures = $3 THEN $2 ELSE until END
FROM locked
WHERE throttle.key = locked.key
