-- A mark is never overtaken by an older one.
INSERT INTO device (client_id, gateway_id, code, online, since)
SELECT g.client_id, g.id, m.code, m.online, m.since
FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::timestamptz[]) AS m (gateway_id, code, online, since)
JOIN gateway g ON g.id = m.gateway_id
ON CONFLICT (gateway_id, code) DO UPDATE SET online = excluded.online, since = excluded.since WHERE device.since <= excluded.since
