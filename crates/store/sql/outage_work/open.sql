-- Outages that began before a time and had not ended.
SELECT
    id, client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, set_started,
    set_ended, set_cause, excluded, note, corrected_by, corrected_at, started, ended
FROM outage
WHERE client_id = $1 AND location_id = $2 AND worked_started < $3 AND worked_ended IS NULL
ORDER BY asset_id, worked_started
