-- Begins statements that return changes of alarms of utility $1, of the area of node $2 or of asset $3.
SELECT
    e.alarm_id AS id, e.client_id, a.source, e.kind, e.priority, e.point_id, e.asset_id, s.name AS asset_name, e.location_id, n.name AS location_name, e.text,
    e.value, e.limit_value, e.unit, e.customers, e.state, e.count, e.raised, e.first_raised, e.cleared, e.acknowledged, e.acknowledged_by, e.shelved_until, e.shelved_by,
    e.shelved_reason, e.owner, e.note, e."offset", e.raised_offset,
    e.cause, c.id AS cause_id
FROM alarm_event e
JOIN alarm a ON a.id = e.alarm_id
LEFT JOIN asset s ON s.id = e.asset_id
LEFT JOIN alarm c ON c.client_id = e.client_id AND c.source = e.cause
JOIN node n ON n.id = e.location_id
WHERE e.client_id = $1 AND ($2::bigint IS NULL OR e.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR e.asset_id = $3)
