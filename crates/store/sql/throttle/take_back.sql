-- Neither a success nor a failure: as if this one had not been, those before stay. Its delay goes unless another failure came after.
WITH locked AS (
    SELECT key FROM throttle WHERE key = ANY($1) ORDER BY key FOR UPDATE
)
UPDATE throttle SET
    recent = array_remove(recent, $2::timestamptz),
    failures = greatest(failures - 1, 0),
    until = CASE WHEN failures = $3 THEN $2 ELSE until END
FROM locked
WHERE throttle.key = locked.key
