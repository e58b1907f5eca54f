-- The active version of the network, if areas have containers of it. No row if they have none.
SELECT active.version, active.since
FROM (SELECT WHERE EXISTS (SELECT FROM area_part WHERE client_id = $1 AND container IS NOT NULL)) AS divided
LEFT JOIN LATERAL (
    SELECT version, since FROM network_activation WHERE client_id = $1 AND since <= clock_timestamp() ORDER BY since DESC LIMIT 1
) AS active ON true
