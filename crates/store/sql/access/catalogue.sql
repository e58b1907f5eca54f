SELECT id AS page_id, app_id, app_name, tab_name, view_name, tab_key, sequence, path
FROM page
WHERE NOT retired
ORDER BY app_id, sequence
