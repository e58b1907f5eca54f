-- No row if a user has changed the schedule since it was read.
UPDATE report_schedule SET settled = $4, since = least(since, $4), next_due = $5, zone = $6
WHERE client_id = $1 AND id = $2 AND settled = $3 AND enabled
RETURNING id
