SELECT
    m.id AS member_id, m.client_id, m.username, m.email, m.first_name, m.last_name, m.role_id, m.role_name, m.password_hash, m.node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
FROM password_reset r
JOIN member m ON m.id = r.member_id
WHERE r.hash = $1 AND r.used IS NULL AND r.until > $2 AND NOT m.disabled AND NOT m.demo
