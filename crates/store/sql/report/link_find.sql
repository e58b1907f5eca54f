-- The file of a link, of any utility, because the caller has only the link. Its creator must still have access to the utility with the same permissions as
-- then.
SELECT l.id, l.client_id, l.run_id, l.role_id, r.file_name, r.media_type, r.bytes
FROM report_link l
JOIN report_run r ON r.id = l.run_id
JOIN member m ON m.id = l.member_id
WHERE l.token_hash = $1 AND l.expires > $2 AND r.kept AND r.state = 'done'
  AND NOT m.disabled AND NOT m.demo AND (m.client_id = l.client_id OR m.role_id = 1)
  AND m.role_id = l.role_id AND CASE WHEN m.client_id <> l.client_id THEN NULL ELSE m.node_id END IS NOT DISTINCT FROM l.node_id
