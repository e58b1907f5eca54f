-- The active version of each utility. The utilities come from `client`, so that the index on the activations is searched once for each of them.
SELECT c.id AS client_id, active.version, active.since,
    (SELECT min(a.since) FROM network_activation a WHERE a.client_id = c.id AND a.since > $1) AS until
FROM client c
CROSS JOIN LATERAL (
    SELECT version, since FROM network_activation WHERE client_id = c.id AND since <= $1 ORDER BY since DESC LIMIT 1
) AS active
ORDER BY c.id
