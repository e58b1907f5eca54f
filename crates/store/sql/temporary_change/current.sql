WHERE t.client_id = $1 AND t.removed IS NULL
ORDER BY t.id
