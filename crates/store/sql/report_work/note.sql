INSERT INTO report_run (client_id, schedule_id, due, question, period_word, period, state, missed, finished, message)
SELECT s.client_id, s.id, $3::timestamptz, s.question, s.period, $4::text, 'failed', true, $5::timestamptz, $6::text
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2
ON CONFLICT DO NOTHING
