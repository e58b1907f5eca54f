-- No row if the username is taken.
INSERT INTO member AS m (client_id, username, email, first_name, last_name, role_id, role_name, password_hash, node_id, can_operate, flags, disabled, has_password)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, false)
ON CONFLICT (lower(username)) DO NOTHING
RETURNING
    m.id AS member_id, m.client_id, m.username, m.email, m.first_name, m.last_name, m.role_id, m.role_name, m.password_hash, m.node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
