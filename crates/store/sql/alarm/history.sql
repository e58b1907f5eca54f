-- The changes of a period, newest first.
    AND e.at >= $4 AND e.at < $5
ORDER BY e."offset" DESC
LIMIT $6
