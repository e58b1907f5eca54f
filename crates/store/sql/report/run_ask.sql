-- No row while the schedule has one that is made or waits to be, or was due in this very moment. One that waits for the figures of its days is no hindrance.
INSERT INTO report_run (client_id, schedule_id, due, asked_by, name, question, period_word, period, format, mail_to, keep_days, state)
SELECT s.client_id, s.id, $3::timestamptz, $4::bigint, s.name, s.question, s.period, $5::text, s.format, s.mail_to, s.keep_days, 'waiting'
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2
  AND NOT EXISTS (SELECT FROM report_run r WHERE r.schedule_id = s.id AND (r.state = 'running' OR r.state = 'waiting' AND (r.ready IS NULL OR r.ready <= $3) AND r.due <= $3))
ON CONFLICT DO NOTHING
RETURNING id, schedule_id AS run_of, due, ready, started, finished, state, rows, bytes, kept, expires, file_name, media_type, message, mail, period
