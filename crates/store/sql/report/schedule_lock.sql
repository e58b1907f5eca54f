SELECT s.id AS schedule_id, s.member_id, NULL::text AS author,
    s.name, s.question, s.period AS period_word, s.format, s.every, s.weekday, s.day_of_month, s.at_minute, s.mail_to, s.keep_days, s.enabled,
    s.since, s.settled, s.next_due, NULL::bigint AS id
FROM report_schedule s
WHERE s.client_id = $1 AND ($2::bigint IS NULL OR s.member_id = $2) AND s.id = $3
FOR UPDATE
