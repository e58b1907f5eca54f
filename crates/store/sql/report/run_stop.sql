-- It is not created again, even if the clock is set back.
UPDATE report_run SET
    state = 'failed', message = $3, finished = $4, is_doubtful = false, rows = NULL, bytes = NULL, kept = false, expires = NULL, file_name = NULL, media_type = NULL
WHERE client_id = $1 AND id = $2
RETURNING id, schedule_id AS run_of, due, ready, started, finished, state, rows, bytes, kept, expires, file_name, media_type, message, mail, period
