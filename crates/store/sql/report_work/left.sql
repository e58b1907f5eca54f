-- What was being made when its process ended is made again once. Nobody else works when this is asked.
UPDATE report_run SET
    state = CASE WHEN attempts < $2 THEN 'waiting' ELSE 'failed' END,
    finished = CASE WHEN attempts < $2 THEN NULL ELSE $1::timestamptz END,
    message = CASE WHEN attempts < $2 THEN '' ELSE $3::text END,
    kept = false, bytes = NULL
WHERE state = 'running'
RETURNING id, client_id, state
