WHERE e.client_id = $1 AND e.withdrawn IS NULL
ORDER BY e.equipment, e.quantity, e.entered, e.id
