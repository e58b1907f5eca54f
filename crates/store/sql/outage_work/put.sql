INSERT INTO outage (
    client_id, location_id, asset_id, incident, worked_started, worked_ended, worked_cause, from_unknown, provisional, trips, evidence, customers,
    customer_minutes, customer_steps)
SELECT
    $1::bigint, a.location_id, t.asset_id, t.incident, instant(t.started), instant(t.ended), t.cause, t.from_unknown, t.provisional, t.trips,
    ARRAY(SELECT value::bigint FROM jsonb_array_elements_text(t.evidence) WITH ORDINALITY AS places (value, place) ORDER BY place),
    t.customers, t.customer_minutes, t.customer_steps
FROM jsonb_to_recordset($2::jsonb) AS t (
    asset_id bigint, incident bigint, started bigint, ended bigint, cause text, from_unknown boolean, provisional boolean, trips integer, evidence jsonb,
    customers bigint, customer_minutes float8, customer_steps jsonb)
JOIN asset a ON a.client_id = $1 AND a.id = t.asset_id
ON CONFLICT (asset_id, worked_started) DO UPDATE SET
    incident = excluded.incident, worked_ended = excluded.worked_ended, worked_cause = excluded.worked_cause, from_unknown = excluded.from_unknown,
    provisional = excluded.provisional, trips = excluded.trips, evidence = excluded.evidence,
    customers = excluded.customers, customer_minutes = excluded.customer_minutes, customer_steps = excluded.customer_steps,
    -- Corrections are kept, except for a time that contradicts the newly computed other end.
    set_started = CASE WHEN outage.set_started > coalesce(outage.set_ended, excluded.worked_ended) THEN NULL ELSE outage.set_started END,
    set_ended = CASE WHEN outage.set_ended < coalesce(outage.set_started, excluded.worked_started) THEN NULL ELSE outage.set_ended END
