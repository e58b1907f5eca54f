SELECT id, client_id, topic, reason, detail, payload, received
FROM dead_letter
WHERE $1::bigint IS NULL OR client_id = $1
ORDER BY id DESC
LIMIT $2
