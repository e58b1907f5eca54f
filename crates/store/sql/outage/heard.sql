-- The time since when substations have reported: from their oldest event, or the first message of a gateway that reports their switches. An event that was
-- received more than a month after its source time does not count, because the device's clock was not set or nothing was received at that time, unless the
-- history was imported. Events are kept since $3.
SELECT n.id AS location_id, least(e.source_ts, l.at) AS since
FROM unnest($2::bigint[]) AS n (id)
LEFT JOIN LATERAL (
    SELECT source_ts FROM event
    WHERE client_id = $1 AND location_id = n.id AND source_ts >= $3 AND (
        source_ts > recv_ts - interval '31 days' OR source_ts >= (SELECT done FROM history_brought WHERE client_id = $1))
    ORDER BY source_ts
    LIMIT 1
) e ON true
LEFT JOIN LATERAL (
    SELECT min(c.at) AS at FROM link_change c
    WHERE c.client_id = $1 AND c.device = '' AND c.online AND c.gateway_id = ANY (ARRAY(
        SELECT p.gateway_id FROM point p JOIN asset a ON a.id = p.asset_id
        WHERE p.client_id = $1 AND a.location_id = n.id AND p.encoding IN ('double', 'single')
    ))
) l ON true
WHERE coalesce(e.source_ts, l.at) IS NOT NULL
