UPDATE throttle SET failures = $2, until = $3, stale = $4 WHERE key = $1
