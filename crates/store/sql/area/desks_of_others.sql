-- The desks at which users with permission to operate sit, other than the user of a session.
SELECT DISTINCT coalesce(c.desk_id, d.id) AS desk_id
FROM session s
JOIN member m ON m.id = s.member_id
JOIN desk d ON d.client_id = s.client_id AND d.is_default
LEFT JOIN session_desk c ON c.session_id = s.id AND c.client_id = s.client_id
WHERE s.client_id = $1 AND s.ended IS NULL AND s.generation = m.generation AND NOT m.disabled AND m.can_operate AND NOT m.demo
    AND (s.client_id = m.client_id OR m.role_id = 1)
    AND s.last_seen + s.idle_ms * interval '1 ms' > clock_timestamp()
    AND m.id <> (SELECT own.member_id FROM session own WHERE own.id = $2)
