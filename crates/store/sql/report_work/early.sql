-- Doubtful runs whose days had not ended, or whose figures were not settled, as the clock has it now: $3 of them at most. What is not yet due goes, its time comes
-- again; what is due waits once more, without a file. What somebody asked for stays: they see of which days it was. $1 is the present, $2 a little later: that
-- much a report waits longer than its figures need.
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
