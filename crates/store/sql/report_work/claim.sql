-- No row if the run was stopped, or may not start any more because the clock was set back.
UPDATE report_run SET state = 'running', attempts = attempts + 1, started = $2, is_doubtful = $3
FROM report_schedule s
WHERE s.id = report_run.schedule_id AND report_run.id = $1 AND report_run.state = 'waiting'
  AND (report_run.ready IS NULL OR report_run.ready <= $2)
  AND NOT EXISTS (SELECT FROM report_run r WHERE r.client_id = report_run.client_id AND r.state = 'running')
RETURNING
    report_run.id, report_run.client_id, s.id AS schedule_id, s.member_id, report_run.attempts, report_run.due, report_run.period, report_run.name,
    report_run.question, report_run.format, report_run.period_word, report_run.keep_days, cardinality(report_run.mail_to) > 0 AS to_mail
