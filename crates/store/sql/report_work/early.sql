-- Doubtful runs whose period had not ended, or whose data were not complete, by the present clock; at most $3. Runs that are not due yet are deleted and added
-- again later; due runs wait again, without a file. Runs that a user requested are kept, because they show their period. $1 is the present time, $2 is later by
-- the extra time that a report waits.
WITH early AS (
    SELECT id, due > $1 AS is_to_come
    FROM report_run
    WHERE is_doubtful AND asked_by IS NULL AND state <> 'waiting' AND coalesce(ready, due) > $2
    ORDER BY id
    LIMIT $3::bigint
    FOR UPDATE
), gone AS (
    DELETE FROM report_run USING early WHERE report_run.id = early.id AND early.is_to_come
    RETURNING report_run.id, report_run.client_id, report_run.schedule_id, report_run.due
), again AS (
    UPDATE report_run SET
        state = 'waiting', is_doubtful = false, started = NULL, finished = NULL, rows = NULL, bytes = NULL, kept = false, expires = NULL, file_name = NULL,
        media_type = NULL, message = '', made_node = NULL, made_role = NULL, mail = 'none'
    FROM early
    WHERE report_run.id = early.id AND NOT early.is_to_come
    RETURNING report_run.id, report_run.client_id, report_run.schedule_id, report_run.due
), links AS (
    DELETE FROM report_link USING again WHERE report_link.run_id = again.id
)
SELECT client_id, schedule_id, id, due FROM gone
UNION ALL
SELECT client_id, schedule_id, id, due FROM again
ORDER BY client_id, id
