-- The earliest start of the ended outages that a change at a time can affect: outages that lasted at that time, and outages that began before it within the
-- longest momentary interruption ($4, ms).
SELECT min(worked_started) AS since
FROM outage
WHERE client_id = $1 AND location_id = ANY ($2::bigint[]) AND worked_started < $3 AND worked_ended IS NOT NULL
  AND (worked_ended >= $3 OR worked_started >= $3 - $4::bigint * interval '1 millisecond')
