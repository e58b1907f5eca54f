-- No row if a member of another utility has the username.
INSERT INTO member (client_id, username, email, first_name, last_name, role_id, role_name, password_hash, node_id, can_operate, demo)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (lower(username)) DO UPDATE SET
    email = excluded.email, first_name = excluded.first_name, last_name = excluded.last_name, role_id = excluded.role_id,
    role_name = excluded.role_name, password_hash = excluded.password_hash, node_id = excluded.node_id, can_operate = excluded.can_operate,
    demo = excluded.demo
WHERE member.client_id = excluded.client_id
RETURNING id
