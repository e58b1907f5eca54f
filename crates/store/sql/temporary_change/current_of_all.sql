WHERE t.removed IS NULL
ORDER BY t.client_id, t.id
