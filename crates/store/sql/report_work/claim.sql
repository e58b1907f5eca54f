-- The oldest whose days have their figures, of a utility of which none is being made.
UPDATE report_run SET state = 'running', attempts = attempts + 1, started = $1
FROM report_schedule s
WHERE s.id = report_run.schedule_id AND report_run.id = (
    SELECT w.id
    FROM report_run w
    WHERE w.state = 'waiting' AND (w.ready IS NULL OR w.ready <= $1)
      -- Where the clock has gone back, what was entered by it waits for its time.
      AND (w.asked_by IS NOT NULL OR w.due <= $1)
      AND NOT EXISTS (SELECT FROM report_run r WHERE r.client_id = w.client_id AND r.state = 'running')
    ORDER BY w.id
    LIMIT 1
    FOR UPDATE SKIP LOCKED)
RETURNING
    report_run.id, report_run.client_id, s.id AS schedule_id, s.member_id, report_run.attempts, report_run.due, report_run.period, s.name, report_run.question,
    s.format, report_run.period_word, s.keep_days, cardinality(s.mail_to) > 0 AS to_mail
