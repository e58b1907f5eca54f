-- The switches of a utility with a change of a command after an offset: when the newest operation ended without a known outcome; NULL if its outcome is known.
SELECT p.id AS point_id, CASE WHEN c.state IN ('NO_FEEDBACK', 'UNKNOWN') THEN c.changed_at END AS changed_at
FROM (
    SELECT DISTINCT of.point_id
    FROM command_event e
    JOIN command of ON of.id = e.command_id AND of.client_id = e.client_id
    WHERE e.client_id = $1 AND e."offset" > $2
) changed
JOIN point p ON p.id = changed.point_id
LEFT JOIN LATERAL (
    SELECT state, changed_at FROM command
    WHERE client_id = $1 AND point_id = p.id AND sent_at IS NOT NULL
    ORDER BY requested_at DESC
    LIMIT 1
) c ON true
WHERE p.client_id = $1 AND p.encoding IS NOT NULL
ORDER BY p.id
