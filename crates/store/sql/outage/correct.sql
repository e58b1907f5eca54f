UPDATE outage SET
    set_started = $3, set_ended = $4, set_cause = $5, excluded = $6, note = $7, corrected_by = $8, corrected_at = now()
WHERE client_id = $1 AND id = $2
RETURNING
    id, client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, customers, customer_steps, set_started,
    set_ended, set_cause, excluded, note, corrected_by, corrected_at, started, ended
