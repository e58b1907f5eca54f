-- When some sessions of a utility ended or will end, if they are still stored. Sign-outs of users are in the audit permanently.
SELECT
    asked.id, o.at AS signed_out, s.ended, s.last_seen + s.idle_ms * INTERVAL '1 millisecond' AS idle_at,
    (SELECT max(r.until) FROM session_refresh r WHERE r.session_id = s.id) AS until
FROM unnest($2::bigint[]) AS asked (id)
LEFT JOIN session s ON s.client_id = $1 AND s.id = asked.id
LEFT JOIN (
    SELECT subject, min(at) AS at
    FROM audit
    WHERE chain = $1 AND client_id = $1 AND action = 'sign_out' AND subject = ANY (SELECT 'session ' || id FROM unnest($2::bigint[]) AS wanted (id))
    GROUP BY subject
) o ON o.subject = 'session ' || asked.id
