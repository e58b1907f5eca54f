-- Runs that were in progress in a process that ended or is no longer the scheduler are tried once more. $4 are the runs of the caller.
UPDATE report_run SET
    state = CASE WHEN attempts < $2 THEN 'waiting' ELSE 'failed' END,
    finished = CASE WHEN attempts < $2 THEN NULL ELSE $1::timestamptz END,
    message = CASE WHEN attempts < $2 THEN '' ELSE $3::text END,
    kept = false, bytes = NULL
WHERE state = 'running' AND NOT id = ANY ($4::bigint[])
RETURNING id, client_id, state
