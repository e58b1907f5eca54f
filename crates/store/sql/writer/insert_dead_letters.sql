INSERT INTO dead_letter (client_id, topic, reason, detail, payload, received)
SELECT client_id, topic, reason, detail, payload, coalesce(received, now())
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[]) AS t (client_id, topic, reason, detail, payload, received)
ON CONFLICT DO NOTHING
