-- Gateways that have sent something, and devices that are offline. A row with a device is one of a device.
SELECT id AS gateway_id, NULL::text AS device, online, since, link_term, link_count, last_seen
FROM gateway
WHERE client_id = $1 AND (since IS NOT NULL OR last_seen IS NOT NULL)
UNION ALL
SELECT gateway_id, code, online, since, link_term, link_count, NULL
FROM device
WHERE client_id = $1 AND NOT online
