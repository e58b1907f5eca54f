-- The caller with present permissions. No row if the session has ended.
SELECT
    m.id AS member_id, m.role_id, m.first_name, m.last_name, m.username, m.can_operate, m.demo, s.begun,
    CASE WHEN s.client_id = m.client_id THEN m.node_id END AS node_id
FROM session s
JOIN member m ON m.id = s.member_id
WHERE s.id = $1 AND s.client_id = $2 AND s.ended IS NULL AND s.generation = m.generation AND NOT m.disabled
    AND (s.client_id = m.client_id OR m.role_id = 1)
