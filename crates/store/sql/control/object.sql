-- The time is that of the database and advances within a transaction, so a decision that waited for the lock uses the time at which it got the lock.
SELECT
    clock_timestamp() AS now, gen_random_uuid()::text AS fresh, c.code AS client_code, c.config,
    p.asset_id, p.gateway_id, p.device, p.metric, p.encoding, p.expected_ms,
    a.location_id, a.name AS asset_name, a.class_name, a.control_asset_req, a.is_sbo_supported,
    g.code AS gateway_code, g.online AS gateway_online, g.since AS gateway_since, g.link_term, g.link_count,
    coalesce(d.online, true) AS device_online, d.since AS device_since, coalesce(d.link_term, 0) AS device_term, coalesce(d.link_count, 0) AS device_count,
    l.source_ts, l.recv_ts, l.epoch, l.seq, l.value, l.quality,
    (SELECT e.source_ts FROM event e WHERE e.point_id = p.id AND e.client_id = p.client_id ORDER BY e.source_ts DESC LIMIT 1) AS last_change
FROM point p
JOIN client c ON c.id = p.client_id
JOIN asset a ON a.id = p.asset_id
JOIN gateway g ON g.id = p.gateway_id
LEFT JOIN device d ON d.gateway_id = p.gateway_id AND d.code = p.device
LEFT JOIN latest l ON l.point_id = p.id
WHERE p.client_id = $1 AND p.id = $2
