-- What was being made when its process ended, or was not the one that works any more, is made again once. $4 are those that the one who asks makes.
UPDATE report_run SET
    state = CASE WHEN attempts < $2 THEN 'waiting' ELSE 'failed' END,
    finished = CASE WHEN attempts < $2 THEN NULL ELSE $1::timestamptz END,
    message = CASE WHEN attempts < $2 THEN '' ELSE $3::text END,
    kept = false, bytes = NULL
WHERE state = 'running' AND NOT id = ANY ($4::bigint[])
RETURNING id, client_id, state
