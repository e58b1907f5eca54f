-- The member with the permissions of a present session: a super user can work in another utility and is then not limited to a node.
SELECT
    m.id AS member_id, $1::bigint AS client_id, m.username, m.email, m.first_name, m.last_name, m.role_id, m.role_name, m.password_hash,
    CASE WHEN m.client_id <> $1 THEN NULL ELSE m.node_id END AS node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
FROM member m
WHERE m.id = $2 AND NOT m.disabled AND NOT m.demo AND (m.client_id = $1 OR m.role_id = 1)
