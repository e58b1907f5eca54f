-- Operations of a point that were sent: the newest, the one with which their number within the window reaches a limit, counted from the newest, and
-- whether the newest ended without a known outcome.
SELECT
    max(sent_at) AS last,
    (array_agg(sent_at ORDER BY sent_at DESC) FILTER (WHERE sent_at > $3 AND sent_at > $4))[$5::bigint] AS often_since,
    (array_agg(CASE WHEN state IN ('NO_FEEDBACK', 'UNKNOWN') THEN changed_at END ORDER BY sent_at DESC))[1] AS doubt
FROM (
    SELECT sent_at, changed_at, state FROM command
    WHERE client_id = $1 AND point_id = $2 AND sent_at IS NOT NULL
    ORDER BY requested_at DESC
    LIMIT 200
) sent
