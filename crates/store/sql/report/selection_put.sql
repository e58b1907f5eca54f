-- No row if the user has $7 selections already. The utility is locked, so that simultaneous requests are counted one after the other.
INSERT INTO report_selection (client_id, member_id, name, question, format, created)
SELECT $1::bigint, $2::bigint, $3::text, $4::jsonb, $5::text, $6::timestamptz
WHERE (SELECT count(*) FROM report_selection WHERE client_id = $1 AND member_id = $2) < $7::bigint
RETURNING id, name, question, format, created
