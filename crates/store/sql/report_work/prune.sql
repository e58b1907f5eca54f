-- Keeps the newest $1 runs of a schedule, and those that have a file or are not finished. A due time could only run twice if the clock were set back before all
-- of them. Deletes $2 at a time.
DELETE FROM report_run
WHERE id IN (
    SELECT id
    FROM (SELECT id, kept, state, row_number() OVER (PARTITION BY schedule_id ORDER BY due DESC) AS place FROM report_run) AS placed
    WHERE place > $1 AND NOT kept AND state NOT IN ('waiting', 'running')
    LIMIT $2::bigint)
