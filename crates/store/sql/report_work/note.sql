INSERT INTO report_run (client_id, schedule_id, due, period, state, missed, finished, message) VALUES ($1, $2, $3, $4, 'failed', true, $5, $6)
ON CONFLICT DO NOTHING
