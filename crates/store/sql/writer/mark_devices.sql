-- A state replaces the stored one by the rule of grid::LinkState::supersedes.
INSERT INTO device (client_id, gateway_id, code, online, since, link_term, link_count)
SELECT g.client_id, g.id, m.code, m.online, m.since, m.term, m.count
FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::timestamptz[], $5::bigint[], $6::bigint[]) AS m (gateway_id, code, online, since, term, count)
JOIN gateway g ON g.id = m.gateway_id
ON CONFLICT (gateway_id, code) DO UPDATE SET
    online = excluded.online, since = excluded.since, link_term = excluded.link_term, link_count = excluded.link_count
WHERE (excluded.link_term, excluded.link_count) >= (device.link_term, device.link_count)
