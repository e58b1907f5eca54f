-- Since when outages that are over have to be worked out again with what happened from an instant on: those that went on then, and those to which it may
-- belong, as everything within five minutes of their start does.
SELECT min(worked_started) AS since
FROM outage
WHERE client_id = $1 AND location_id = $2 AND worked_started < $3 AND worked_ended IS NOT NULL
  AND (worked_ended >= $3 OR worked_started >= $3 - interval '5 minutes')
