SELECT a.id, a.name, a.is_rest, a.desk_id, d.name AS desk_name, a.since, a.held_by, a.how
FROM area a
LEFT JOIN desk d ON d.id = a.desk_id
WHERE a.client_id = $1
ORDER BY a.is_rest, a.name, a.id
