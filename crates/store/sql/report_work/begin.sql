-- A due time is run once. One that was noted as missed, because the clock was wrong, is run when it comes by again.
INSERT INTO report_run (client_id, schedule_id, due, ready, question, period_word, period, state)
SELECT s.client_id, s.id, $3::timestamptz, $5::timestamptz, s.question, s.period, $4::text, 'waiting'
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2
ON CONFLICT (schedule_id, due) DO UPDATE SET
    state = 'waiting', missed = false, message = '', finished = NULL, ready = excluded.ready, question = excluded.question, period_word = excluded.period_word,
    period = excluded.period
WHERE report_run.missed
RETURNING id
