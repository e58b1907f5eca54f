-- As a session of theirs would have it now: a super user may work in another utility than their own, and is then confined to no node of it.
SELECT
    m.id AS member_id, $1::bigint AS client_id, m.username, m.email, m.first_name, m.last_name, m.role_id, m.role_name, m.password_hash,
    CASE WHEN m.client_id <> $1 THEN NULL ELSE m.node_id END AS node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
FROM member m
WHERE m.id = $2 AND NOT m.disabled AND NOT m.demo AND (m.client_id = $1 OR m.role_id = 1)
