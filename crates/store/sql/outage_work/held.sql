-- Outages that were computed to begin at or after a time or to last at that time, and kept ones that the events no longer show, if they reach beyond that time.
SELECT
    id, client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, set_started,
    set_ended, set_cause, excluded, note, corrected_by, corrected_at, started, ended
FROM outage
WHERE client_id = $1 AND location_id = $2
  AND (worked_started >= $3 OR worked_ended IS NULL OR worked_started IS NULL)
  AND (worked_started IS NOT NULL OR coalesce(ended, 'infinity') >= $3)
ORDER BY id
FOR UPDATE
