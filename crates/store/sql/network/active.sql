SELECT version, since, (SELECT min(a.since) FROM network_activation a WHERE a.client_id = $1 AND a.since > $2) AS until
FROM network_activation
WHERE client_id = $1 AND since <= $2
ORDER BY since DESC
LIMIT 1
