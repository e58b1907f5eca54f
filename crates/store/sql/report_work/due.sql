-- Those that something is to be decided about: they are due, were worked out for another zone, or the clock has gone back behind what is decided.
SELECT s.id, s.client_id, s.member_id, s.period, s.every, s.weekday, s.day_of_month, s.at_minute, s.since, s.settled, c.time_zone,
    lower(coalesce(s.question->>'reportType', '')) = 'realtime' AS is_real_time
FROM report_schedule s
JOIN client c ON c.id = s.client_id
WHERE s.enabled AND (s.next_due <= $1 OR s.settled > $1 OR s.zone <> c.time_zone)
ORDER BY s.next_due NULLS LAST
LIMIT $2
