-- Runs that a clock which was ahead has had made before their days had their figures, $3 of them at most. What is not yet due
-- goes: its time comes again. What is due waits again, and has lost its file. What somebody asked for stays: they saw of which days it was. $1 is the present,
-- $2 so much later that a clock that is put right by seconds makes nothing anew.
WITH early AS (
    SELECT id, due > $1 AS is_to_come
    FROM report_run
    WHERE asked_by IS NULL AND NOT missed AND state <> 'waiting' AND coalesce(ready, due) > $2
    ORDER BY coalesce(ready, due)
    LIMIT $3::bigint
    FOR UPDATE
), gone AS (
    DELETE FROM report_run USING early WHERE report_run.id = early.id AND early.is_to_come
    RETURNING report_run.id, report_run.client_id, report_run.schedule_id, report_run.due
), again AS (
    UPDATE report_run SET
        state = 'waiting', started = NULL, finished = NULL, rows = NULL, bytes = NULL, kept = false, expires = NULL, file_name = NULL, media_type = NULL,
        message = '', made_node = NULL, made_role = NULL, mail = 'none'
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
