-- Due times from before the schedule existed are not missed, even if the clock was wrong.
INSERT INTO report_run (client_id, schedule_id, due, name, question, period_word, period, format, mail_to, keep_days, state, missed, finished, message)
SELECT
    s.client_id, s.id, $3::timestamptz, s.name, s.question, s.period, $4::text, s.format, s.mail_to, s.keep_days, 'failed', true, $5::timestamptz, $6::text
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2 AND $3::timestamptz > s.created
ON CONFLICT DO NOTHING
