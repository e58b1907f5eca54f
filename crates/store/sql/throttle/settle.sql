-- A success: what was counted in advance is taken back. Locked by key like what admits, so that neither waits for the other in a circle.
WITH locked AS (
    SELECT key FROM throttle WHERE key = ANY($1) ORDER BY key FOR UPDATE
)
UPDATE throttle SET recent = array_remove(recent, $2::timestamptz), failures = 0, until = $2 FROM locked WHERE throttle.key = locked.key
