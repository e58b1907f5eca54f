-- Those of some versions, each with the time of the next activation of any version.
SELECT * FROM (
    SELECT version, since, member_id, entered, lead(since) OVER (ORDER BY since) AS until
    FROM network_activation
    WHERE client_id = $1
) AS all_activations
WHERE version = ANY ($2::int[])
ORDER BY since
