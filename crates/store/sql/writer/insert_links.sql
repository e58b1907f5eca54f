-- Storing a batch again adds nothing.
INSERT INTO link_change (client_id, gateway_id, device, at, online)
SELECT g.client_id, g.id, m.device, m.at, m.online
FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::boolean[]) AS m (gateway_id, device, at, online)
JOIN gateway g ON g.id = m.gateway_id
ON CONFLICT DO NOTHING
