WHERE t.client_id = $1 AND t.removed IS NOT NULL AND ($2::bigint IS NULL OR t.id < $2)
ORDER BY t.id DESC
LIMIT $3
