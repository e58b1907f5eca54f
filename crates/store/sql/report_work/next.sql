-- The oldest waiting run with complete data, of a utility without a run in progress, so that a utility with many runs does not delay the others. $2 are the
-- runs of the caller that wait for a slot already.
SELECT placed.id, placed.client_id
FROM (
    SELECT w.id, w.client_id, row_number() OVER (PARTITION BY w.client_id, o.member_id ORDER BY w.id) AS place
    FROM report_run w
    JOIN report_schedule o ON o.id = w.schedule_id
    WHERE w.state = 'waiting' AND (w.ready IS NULL OR w.ready <= $1)
      -- After the clock was set back, runs that were added with the wrong time wait until then.
      AND (w.asked_by IS NOT NULL OR w.due <= $1)
      AND NOT EXISTS (SELECT FROM report_run r WHERE r.client_id = w.client_id AND (r.state = 'running' OR r.id = ANY ($2::bigint[])))) AS placed
ORDER BY placed.place, placed.id
LIMIT 1
