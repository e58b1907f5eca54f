-- Another outage of the same feeder that overlaps a period.
SELECT
    id, client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, set_started,
    set_ended, set_cause, excluded, note, corrected_by, corrected_at, started, ended
FROM outage
WHERE client_id = $1 AND asset_id = $2 AND id <> $3 AND NOT excluded
  AND started < coalesce($5::timestamptz, 'infinity') AND coalesce(ended, 'infinity') > $4::timestamptz
ORDER BY started, id
LIMIT 1
