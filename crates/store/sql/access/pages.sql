-- The default access of a role applies only if the utility has no rows for the role.
SELECT
    a.id, a.role_id, a.is_readonly, a.show_in_tab,
    p.id AS page_id, p.app_id, p.app_name, p.tab_name, p.view_name, p.tab_key, p.sequence, p.path
FROM page_access a
JOIN page p ON p.id = a.page_id
WHERE a.role_id BETWEEN $2 AND $3
  AND NOT p.retired
  AND (a.client_id = $1
       OR a.client_id IS NULL AND NOT EXISTS (SELECT FROM page_access own WHERE own.client_id = $1 AND own.role_id = a.role_id))
ORDER BY a.role_id, p.app_id, p.sequence
