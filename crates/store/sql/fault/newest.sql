-- The faults that began since a time, newest first; on request also open faults that began earlier.
    AND (f.started >= $4 OR f.ended IS NULL)
ORDER BY f.started DESC, f.id DESC
LIMIT $5
