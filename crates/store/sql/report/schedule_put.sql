-- No row if the user has $17 schedules already, or the utility $18. The utility is locked, so that simultaneous requests are counted one after the other.
INSERT INTO report_schedule (
    client_id, member_id, name, question, period, format, every, weekday, day_of_month, at_minute, mail_to, keep_days, enabled, created, since, settled,
    next_due, zone)
SELECT $1::bigint, $2::bigint, $3::text, $4::jsonb, $5::text, $6::text, $7::text, $8::smallint, $9::smallint, $10::smallint, $11::text[], $12::smallint,
    $13::boolean, $14::timestamptz, $14, $14, $15::timestamptz, $16::text
WHERE (SELECT count(*) FROM report_schedule WHERE client_id = $1 AND member_id = $2) < $17::bigint
  AND (SELECT count(*) FROM report_schedule WHERE client_id = $1) < $18::bigint
RETURNING id
