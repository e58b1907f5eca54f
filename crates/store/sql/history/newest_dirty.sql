-- Newest first, because users look at the newest values most. The present minute is left until it has ended and five seconds have passed for its values. A
-- range further in the future comes from a wrong clock and does not wait.
SELECT block, lo, hi
FROM (
    (SELECT block, lo, hi FROM rollup_dirty WHERE level = $1 AND NOT aside AND hi > now() + INTERVAL '1 minute' ORDER BY hi DESC LIMIT $2)
    UNION ALL
    (SELECT block, lo, hi FROM rollup_dirty WHERE level = $1 AND NOT aside AND hi <= now() - INTERVAL '5 seconds' ORDER BY hi DESC LIMIT $2)
) due
ORDER BY hi DESC
LIMIT $2
