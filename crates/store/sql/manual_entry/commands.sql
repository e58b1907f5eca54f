-- Whether a command to some points ($2) was sent and its end is not stored, and when the newest operation of one of them ended without a known outcome, if it did.
SELECT
    EXISTS (
        SELECT FROM reservation r
        JOIN command c ON c.id = r.command_id
        WHERE r.client_id = $1 AND c.client_id = $1 AND r.point_id = ANY ($2) AND r.released IS NULL AND c.state IN ('SENT', 'ACCEPTED')
    ) AS is_under_way,
    (
        SELECT max(newest.changed_at) FROM unnest($2::bigint[]) AS p (id)
        CROSS JOIN LATERAL (
            SELECT state, changed_at FROM command
            WHERE client_id = $1 AND point_id = p.id AND sent_at IS NOT NULL
            ORDER BY requested_at DESC
            LIMIT 1
        ) newest
        WHERE newest.state IN ('NO_FEEDBACK', 'UNKNOWN')
    ) AS doubt
