-- The utility is that of the session: a super user can be in another utility and is then not limited to a node. In a limited session the member has no role,
-- and therefore no permissions.
SELECT
    a.hash AS access_hash, s.id AS session_id, a.until AS access_until, s.last_seen, s.limited,
    m.id AS member_id, s.client_id, m.username, m.email, m.first_name, m.last_name,
    CASE WHEN s.limited THEN 0 ELSE m.role_id END AS role_id, m.role_name, m.password_hash,
    CASE WHEN s.client_id = m.client_id THEN m.node_id END AS node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
FROM session_access a
JOIN session s ON s.id = a.session_id
JOIN member m ON m.id = s.member_id
WHERE a.hash = ANY ($1::bytea[])
  AND s.ended IS NULL
  AND s.generation = m.generation
  AND a.until > $2
  AND s.last_seen + s.idle_ms * INTERVAL '1 millisecond' > $2
  AND NOT m.disabled
  AND (s.client_id = m.client_id OR m.role_id = 1)
