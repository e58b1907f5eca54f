-- Stores the changes, each with the state of its alarm after it. The row of every alarm exists already.
INSERT INTO alarm_event (
    client_id, "offset", alarm_id, change, kind, priority, point_id, asset_id, location_id, text, value, limit_value, unit, customers, state, count, raised,
    first_raised, cleared, acknowledged, acknowledged_by, shelved_until, shelved_by, shelved_reason, owner, note, raised_offset, cause)
SELECT
    $1::bigint, t."offset", a.id, t.change, t.kind, t.priority, t.point_id, t.asset_id, t.location_id, t.text, t.value, t.limit_value, t.unit, t.customers,
    t.state, t.count, instant(t.raised), instant(t.first_raised), instant(t.cleared), instant(t.acknowledged), t.acknowledged_by, instant(t.shelved_until), t.shelved_by,
    t.shelved_reason, t.owner, t.note, t.raised_offset, t.cause
FROM jsonb_to_recordset($2::jsonb) AS t (
    source text, change text, kind text, priority smallint, point_id bigint, asset_id bigint, location_id bigint, text text, value float8,
    limit_value float8, unit text, customers integer, state text, count integer, raised bigint, first_raised bigint, cleared bigint, acknowledged bigint, acknowledged_by text,
    shelved_until bigint, shelved_by text, shelved_reason text, owner text, note text, "offset" bigint, raised_offset bigint,
    cause text)
JOIN alarm a ON a.source = t.source AND a.client_id = $1
