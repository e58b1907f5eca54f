-- No row while the schedule has one that waits or is made, or was due in this very moment.
INSERT INTO report_run (client_id, schedule_id, due, asked_by, period, state)
SELECT s.client_id, s.id, $3::timestamptz, $4::bigint, $5::text, 'waiting'
FROM report_schedule s
WHERE s.client_id = $1 AND s.id = $2
  AND NOT EXISTS (SELECT FROM report_run r WHERE r.schedule_id = s.id AND r.state IN ('waiting', 'running'))
ON CONFLICT DO NOTHING
RETURNING id, schedule_id AS run_of, due, started, finished, state, rows, bytes, kept, file_name, media_type, message, mail, period
