-- Activations that start after $3 and would follow one at $2, in order. Each one that would have followed another is dropped with it.
WITH dropped AS (
    DELETE FROM network_activation WHERE client_id = $1 AND since >= $2 AND since > $3 RETURNING version, since
)
SELECT version, since, lead(since) OVER (ORDER BY since) AS until FROM dropped ORDER BY since
