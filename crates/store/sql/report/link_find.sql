-- What a link opens, of whatever utility: it is all that the caller has.
SELECT l.id, l.client_id, l.run_id, r.file_name, r.media_type, r.bytes
FROM report_link l
JOIN report_run r ON r.id = l.run_id
JOIN member m ON m.id = l.member_id
WHERE l.token_hash = $1 AND l.expires > $2 AND r.kept AND r.state = 'done' AND NOT m.disabled
