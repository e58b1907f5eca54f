WHERE t.client_id = $1 AND (t.removed IS NULL OR t.removed >= $2) AND t.what ->> 'kind' <> 'portableEarth'
ORDER BY t.id DESC
LIMIT $3
