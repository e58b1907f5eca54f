-- The outages of some feeders that began within a period, newest first.
SELECT
    id, client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, set_started,
    set_ended, set_cause, excluded, note, corrected_by, corrected_at, started, ended
FROM outage
WHERE client_id = $1 AND asset_id = ANY ($2::bigint[]) AND started >= $3 AND started < $4
ORDER BY started DESC, id DESC
LIMIT $5
