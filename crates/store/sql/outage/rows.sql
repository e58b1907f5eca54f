-- Begins statements that return outages.
SELECT
    id, client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, customers, customer_steps, set_started,
    set_ended, set_cause, excluded, note, corrected_by, corrected_at, started, ended
FROM outage
