-- The faults that began in a period, newest first.
    AND f.started >= $4 AND f.started < $5
ORDER BY f.started DESC, f.id DESC
LIMIT $6
