-- No row while a run of the schedule is waiting or in progress, or if one has the same due time. A run that waits for its data does not count.
INSERT INTO report_run (client_id, schedule_id, due, asked_by, name, question, period_word, period, format, mail_to, keep_days, state)
SELECT s.client_id, s.id, $3::timestamptz, $4::bigint, s.name, s.question, s.period, $5::text, s.format, s.mail_to, s.keep_days, 'waiting'
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2
  AND NOT EXISTS (SELECT FROM report_run r WHERE r.schedule_id = s.id AND (r.state = 'running' OR r.state = 'waiting' AND (r.ready IS NULL OR r.ready <= $3) AND r.due <= $3))
ON CONFLICT DO NOTHING
RETURNING id, schedule_id AS run_of, due, ready, started, finished, state, rows, bytes, kept, expires, file_name, media_type, message, mail, period
