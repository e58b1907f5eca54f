-- The activations of network versions of a utility until a time, oldest first.
SELECT since, version
FROM network_activation
WHERE client_id = $1 AND since <= $2
ORDER BY since
