UPDATE member AS m SET
    email = $3, first_name = $4, last_name = $5, role_id = $6, role_name = $7, node_id = $8, can_operate = $9, flags = $10, disabled = $11
WHERE m.client_id = $1 AND m.id = $2
RETURNING
    m.id AS member_id, m.client_id, m.username, m.email, m.first_name, m.last_name, m.role_id, m.role_name, m.password_hash, m.node_id,
    m.can_operate, m.flags, m.demo, m.disabled, m.generation
