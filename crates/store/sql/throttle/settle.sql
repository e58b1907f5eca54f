-- A success: what was counted in advance is taken back.
UPDATE throttle SET recent = array_remove(recent, $2::timestamptz), failures = 0, until = $2 WHERE key = ANY($1)
