-- A run with its request and the permissions with which it was created; for schedules of one member or of all.
SELECT r.id, r.schedule_id AS run_of, r.due, r.ready, r.started, r.finished, r.state, r.rows, r.bytes, r.kept, r.expires, r.file_name, r.media_type, r.message, r.mail, r.period,
    r.question, r.period_word, r.made_node, r.made_role
FROM report_run r
JOIN report_schedule s ON s.id = r.schedule_id
WHERE r.client_id = $1 AND ($2::bigint IS NULL OR s.member_id = $2) AND r.id = $3
