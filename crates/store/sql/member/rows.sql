-- Begins statements that return members.
SELECT
    m.id AS member_id, m.client_id, m.username, m.email, m.first_name, m.last_name, m.role_id, m.role_name, m.password_hash, m.node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
FROM member m
