-- Whether the utility has rows of its own for a role.
SELECT EXISTS (SELECT FROM page_access WHERE client_id = $1 AND role_id = $2) AS is_own
