-- Newest first: what people look at most. The minute that is running is left until it is over and its values have had five seconds to come; a mark that lies
-- further ahead is of a clock that is wrong, and waits for nothing.
SELECT block, lo, hi
FROM (
    (SELECT block, lo, hi FROM rollup_dirty WHERE level = $1 AND NOT aside AND hi > now() + INTERVAL '1 minute' ORDER BY hi DESC LIMIT $2)
    UNION ALL
    (SELECT block, lo, hi FROM rollup_dirty WHERE level = $1 AND NOT aside AND hi <= now() - INTERVAL '5 seconds' ORDER BY hi DESC LIMIT $2)
) due
ORDER BY hi DESC
LIMIT $2
