INSERT INTO page_access (client_id, role_id, page_id, is_readonly, show_in_tab)
SELECT $1, $2, p.id, t.is_readonly, t.show_in_tab
FROM unnest($3::text[], $4::boolean[], $5::boolean[]) AS t (tab_key, is_readonly, show_in_tab)
JOIN page p ON p.tab_key = t.tab_key
