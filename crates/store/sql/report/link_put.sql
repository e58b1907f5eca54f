-- Valid no longer than the file is stored. No row if the file was deleted, or has $7 links already.
INSERT INTO report_link (client_id, run_id, member_id, node_id, role_id, token_hash, created, expires)
SELECT r.client_id, r.id, $3::bigint, $8::bigint, $9::integer, $4::bytea, $5::timestamptz, least($6::timestamptz, r.expires)
FROM report_run r
WHERE r.client_id = $1 AND r.id = $2 AND r.kept AND r.state = 'done'
  AND (SELECT count(*) FROM report_link l WHERE l.run_id = r.id AND l.expires > $5) < $7::bigint
RETURNING id, created, expires
