-- Schedules to process: they are due, were computed for another time zone, or the clock was set back before the processed due times.
SELECT s.id, s.client_id, s.member_id, s.period, s.every, s.weekday, s.day_of_month, s.at_minute, s.since, s.settled, c.time_zone,
    lower(coalesce(s.question->>'reportType', '')) = 'realtime' AS is_real_time
FROM report_schedule s
JOIN client c ON c.id = s.client_id
WHERE s.enabled AND (s.next_due <= $1 OR s.settled > $1 OR s.zone <> c.time_zone)
ORDER BY s.next_due NULLS LAST
LIMIT $2
