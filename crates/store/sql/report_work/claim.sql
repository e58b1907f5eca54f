-- The oldest run with complete data, of a utility without a run in progress, so that a utility with many runs does not delay the others.
UPDATE report_run SET state = 'running', attempts = attempts + 1, started = $1, is_doubtful = $2
FROM report_schedule s
WHERE s.id = report_run.schedule_id AND report_run.state = 'waiting' AND report_run.id = (
    SELECT placed.id
    FROM (
        SELECT w.id, row_number() OVER (PARTITION BY w.client_id, o.member_id ORDER BY w.id) AS place
        FROM report_run w
        JOIN report_schedule o ON o.id = w.schedule_id
        WHERE w.state = 'waiting' AND (w.ready IS NULL OR w.ready <= $1)
          -- After the clock was set back, runs that were added with the wrong time wait until then.
          AND (w.asked_by IS NOT NULL OR w.due <= $1)
          AND NOT EXISTS (SELECT FROM report_run r WHERE r.client_id = w.client_id AND r.state = 'running')) AS placed
    ORDER BY placed.place, placed.id
    LIMIT 1)
RETURNING
    report_run.id, report_run.client_id, s.id AS schedule_id, s.member_id, report_run.attempts, report_run.due, report_run.period, report_run.name,
    report_run.question, report_run.format, report_run.period_word, report_run.keep_days, cardinality(report_run.mail_to) > 0 AS to_mail
