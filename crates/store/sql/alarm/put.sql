-- Stores the present state of alarms, by their source.
INSERT INTO alarm (
    client_id, source, kind, priority, point_id, asset_id, location_id, text, value, limit_value, unit, customers, state, count, raised, first_raised, cleared,
    acknowledged, acknowledged_by, shelved_until, shelved_by, shelved_reason, owner, note, "offset", raised_offset, cause)
SELECT
    $1::bigint, source, kind, priority, point_id, asset_id, location_id, text, value, limit_value, unit, customers, state, count, instant(raised),
    instant(first_raised), instant(cleared), instant(acknowledged), acknowledged_by, instant(shelved_until), shelved_by, shelved_reason, owner, note, "offset", raised_offset, cause
FROM jsonb_to_recordset($2::jsonb) AS t (
    source text, kind text, priority smallint, point_id bigint, asset_id bigint, location_id bigint, text text, value float8, limit_value float8, unit text,
    customers integer, state text, count integer, raised bigint, first_raised bigint, cleared bigint, acknowledged bigint, acknowledged_by text, shelved_until bigint,
    shelved_by text, shelved_reason text, owner text, note text, "offset" bigint, raised_offset bigint, cause text)
ON CONFLICT (client_id, source) DO UPDATE SET
    kind = excluded.kind, priority = excluded.priority, point_id = excluded.point_id, asset_id = excluded.asset_id, location_id = excluded.location_id,
    text = excluded.text, value = excluded.value, limit_value = excluded.limit_value, unit = excluded.unit, customers = excluded.customers,
    state = excluded.state, count = excluded.count, raised = excluded.raised, first_raised = excluded.first_raised, cleared = excluded.cleared, acknowledged = excluded.acknowledged,
    acknowledged_by = excluded.acknowledged_by, shelved_until = excluded.shelved_until, shelved_by = excluded.shelved_by,
    shelved_reason = excluded.shelved_reason, owner = excluded.owner, note = excluded.note, "offset" = excluded."offset",
    raised_offset = excluded.raised_offset, cause = excluded.cause
RETURNING id, source
