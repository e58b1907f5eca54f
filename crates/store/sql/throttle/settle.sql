-- After a success, subtracts what was counted in advance. Rows are locked in the order of keys, as in admit, so that the two cannot deadlock.
WITH locked AS (
    SELECT key FROM throttle WHERE key = ANY($1) ORDER BY key FOR UPDATE
)
UPDATE throttle SET recent = array_remove(recent, $2::timestamptz), failures = 0, until = $2 FROM locked WHERE throttle.key = locked.key
