INSERT INTO outage (
    client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence)
SELECT
    $1::bigint, $2::bigint, asset_id, incident, instant(started), instant(ended), cause, from_unknown, provisional, trips,
    ARRAY(SELECT value::bigint FROM jsonb_array_elements_text(t.evidence) WITH ORDINALITY AS places (value, place) ORDER BY place)
FROM jsonb_to_recordset($3::jsonb) AS t (
    asset_id bigint, incident bigint, started bigint, ended bigint, cause text, from_unknown boolean, provisional boolean, trips integer, evidence jsonb)
ON CONFLICT (asset_id, worked_started) DO UPDATE SET
    incident = excluded.incident, worked_ended = excluded.worked_ended, worked_cause = excluded.worked_cause, from_unknown = excluded.from_unknown,
    provisional = excluded.provisional, trips = excluded.trips, evidence = excluded.evidence,
    -- Corrections are kept, except for a time that contradicts the newly computed other end.
    set_started = CASE WHEN outage.set_started > coalesce(outage.set_ended, excluded.worked_ended) THEN NULL ELSE outage.set_started END,
    set_ended = CASE WHEN outage.set_ended < coalesce(outage.set_started, excluded.worked_started) THEN NULL ELSE outage.set_ended END
