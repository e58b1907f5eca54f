SELECT client_id, gateway_id, code, online, since
FROM device
WHERE $1::bigint IS NULL OR client_id = $1
ORDER BY gateway_id, code
