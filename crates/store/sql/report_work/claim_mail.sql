UPDATE report_run SET mail = 'sending'
FROM report_schedule s
WHERE s.id = report_run.schedule_id AND report_run.id = (
    SELECT w.id FROM report_run w WHERE w.mail = 'waiting' ORDER BY w.id LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING
    report_run.id, report_run.client_id, s.id AS schedule_id, s.member_id, report_run.name, report_run.mail_to, report_run.period, report_run.rows, report_run.bytes,
    report_run.kept, report_run.file_name, report_run.media_type, report_run.made_node, report_run.made_role
