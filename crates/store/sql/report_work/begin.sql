-- A due time is run once. One that was noted as missed, because the clock was wrong, is run when it comes by again.
INSERT INTO report_run (client_id, schedule_id, due, period, state) VALUES ($1, $2, $3, $4, 'waiting')
ON CONFLICT (schedule_id, due) DO UPDATE SET state = 'waiting', missed = false, message = '', finished = NULL, period = excluded.period
WHERE report_run.missed
RETURNING id
