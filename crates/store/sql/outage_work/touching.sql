-- The start from which ended outages must be recomputed for changes from a time on: outages that lasted at that time, and those that began up to five minutes
-- before it, to which a change can belong.
SELECT min(worked_started) AS since
FROM outage
WHERE client_id = $1 AND location_id = $2 AND worked_started < $3 AND worked_ended IS NOT NULL
  AND (worked_ended >= $3 OR worked_started >= $3 - interval '5 minutes')
