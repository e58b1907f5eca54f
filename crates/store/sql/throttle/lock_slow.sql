SELECT failures, until FROM throttle WHERE key = $1 FOR UPDATE
