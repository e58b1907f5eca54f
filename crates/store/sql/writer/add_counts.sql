-- Keeps the largest clock deviation, positive or negative.
INSERT INTO gateway_day AS d (client_id, gateway_id, day, taken, late, missing, skew_ms, last_message)
SELECT g.client_id, g.id, day_of(m.at, c.time_zone), m.taken, m.late, m.missing, m.skew_ms, CASE WHEN m.heard THEN m.at END
FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[])
    AS m (gateway_id, at, taken, late, missing, skew_ms, heard)
JOIN gateway g ON g.id = m.gateway_id
JOIN client c ON c.id = g.client_id
ON CONFLICT (gateway_id, day) DO UPDATE SET
    taken = d.taken + excluded.taken, late = d.late + excluded.late, missing = d.missing + excluded.missing,
    skew_ms = CASE WHEN abs(d.skew_ms) >= abs(excluded.skew_ms) THEN d.skew_ms ELSE coalesce(excluded.skew_ms, d.skew_ms) END,
    last_message = greatest(d.last_message, excluded.last_message)
