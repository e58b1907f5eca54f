WHERE e.withdrawn IS NULL
ORDER BY e.client_id, e.equipment, e.quantity, e.entered, e.id
