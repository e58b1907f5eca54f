SELECT id, schedule_id AS run_of, due, ready, started, finished, state, rows, bytes, kept, expires, file_name, media_type, message, mail, period
FROM report_run
WHERE client_id = $1 AND schedule_id = $2
ORDER BY id DESC
LIMIT $3
