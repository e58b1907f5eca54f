-- The current entries with a number after $2.
WHERE e.client_id = $1 AND e.id > $2 AND e.withdrawn IS NULL
ORDER BY e.id
