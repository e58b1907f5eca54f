-- For schedules of one member or of all.
DELETE FROM report_link l
USING report_run r, report_schedule s
WHERE l.client_id = $1 AND l.id = $3 AND r.id = l.run_id AND s.id = r.schedule_id AND ($2::bigint IS NULL OR s.member_id = $2)
RETURNING l.run_id
