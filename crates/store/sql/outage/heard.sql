-- Since when substations have been heard: by their oldest event, or by the first word of a gateway that tells of their switches. An event that came more than a
-- month after its time is of a clock that was not set, or at any rate no sign that somebody listened then, unless that
-- history was brought along.
SELECT n.id AS location_id, least(e.source_ts, l.at) AS since
FROM unnest($2::bigint[]) AS n (id)
LEFT JOIN LATERAL (
    SELECT source_ts FROM event
    WHERE client_id = $1 AND location_id = n.id AND (
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
