-- Newest first, because users look at the newest values most. A range is due when its ten minutes (UTC) have ended and five seconds have passed for its values,
-- so that a packed row of minutes is written six times and not sixty. A range further in the future comes from a wrong clock and does not wait.
SELECT block, lo, hi
FROM (
    (SELECT block, lo, hi FROM rollup_dirty WHERE level = $1 AND NOT aside AND hi > now() + INTERVAL '10 minutes' ORDER BY hi DESC LIMIT $2)
    UNION ALL
    (SELECT block, lo, hi
    FROM rollup_dirty
    WHERE level = $1 AND NOT aside AND hi <= date_bin(INTERVAL '10 minutes', now() - INTERVAL '5 seconds', TIMESTAMPTZ '2000-01-01 00:00:00+00')
    ORDER BY hi DESC
    LIMIT $2)
) due
ORDER BY hi DESC
LIMIT $2
