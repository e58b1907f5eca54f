-- Whether the utility has its own list for a role.
SELECT EXISTS (SELECT FROM page_access WHERE client_id = $1 AND role_id = $2) AS is_own
