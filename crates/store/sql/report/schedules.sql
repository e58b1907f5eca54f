-- Schedules of one member or of all, all or one, each with its newest run. A super user of another utility has no name here.
SELECT
    s.id AS schedule_id, s.member_id, nullif(btrim(m.first_name || ' ' || m.last_name), '') AS author,
    s.name, s.question, s.period AS period_word, s.format, s.every, s.weekday, s.day_of_month, s.at_minute, s.mail_to, s.keep_days, s.enabled,
    s.since, s.settled, s.next_due, r.*
FROM report_schedule s
LEFT JOIN member m ON m.id = s.member_id
LEFT JOIN LATERAL (
    SELECT id, schedule_id AS run_of, due, ready, started, finished, state, rows, bytes, kept, expires, file_name, media_type, message, mail, period
    FROM report_run
    WHERE schedule_id = s.id
    ORDER BY report_run.id DESC
    LIMIT 1
) r ON true
WHERE s.client_id = $1 AND ($2::bigint IS NULL OR s.member_id = $2) AND ($3::bigint IS NULL OR s.id = $3)
ORDER BY lower(s.name), s.id
