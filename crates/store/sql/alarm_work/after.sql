    AND e."offset" > $4
ORDER BY e."offset"
LIMIT $5
