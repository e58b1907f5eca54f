-- A due time is run once, with the present settings of its schedule. A due time that was recorded as missed because of a wrong clock is run when it comes
-- again.
INSERT INTO report_run (client_id, schedule_id, due, ready, name, question, period_word, period, format, mail_to, keep_days, state)
SELECT s.client_id, s.id, $3::timestamptz, $5::timestamptz, s.name, s.question, s.period, $4::text, s.format, s.mail_to, s.keep_days, 'waiting'
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2
ON CONFLICT (schedule_id, due) DO UPDATE SET
    state = 'waiting', missed = false, message = '', finished = NULL, ready = excluded.ready, name = excluded.name, question = excluded.question,
    period_word = excluded.period_word, period = excluded.period, format = excluded.format, mail_to = excluded.mail_to, keep_days = excluded.keep_days
WHERE report_run.missed
RETURNING id
