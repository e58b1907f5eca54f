INSERT INTO dead_letter (client_id, topic, reason, detail, payload, received)
SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bytea[], $6::timestamptz[])
ON CONFLICT DO NOTHING
