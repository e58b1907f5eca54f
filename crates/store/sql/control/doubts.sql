-- The switches of a utility, or of one of its substations, whose newest operation ended without a known outcome, and when. Values reported before that do not show the present position.
SELECT p.id AS point_id, c.changed_at
FROM asset a
JOIN point p ON p.asset_id = a.id
CROSS JOIN LATERAL (
    SELECT state, changed_at FROM command
    WHERE client_id = $1 AND point_id = p.id AND sent_at IS NOT NULL
    ORDER BY requested_at DESC
    LIMIT 1
) c
WHERE p.client_id = $1 AND ($2::bigint IS NULL OR a.location_id = $2) AND p.encoding IS NOT NULL AND c.state IN ('NO_FEEDBACK', 'UNKNOWN')
ORDER BY p.id
