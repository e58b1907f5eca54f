-- Begins statements that return alarms.
SELECT
    a.id, a.client_id, a.source, a.kind, a.priority, a.point_id, a.asset_id, s.name AS asset_name, a.location_id, n.name AS location_name, a.text, a.value,
    a.limit_value, a.unit, a.customers, a.state, a.count, a.raised, a.first_raised, a.cleared, a.acknowledged, a.acknowledged_by, a.shelved_until, a.shelved_by,
    a.shelved_reason, a.owner, a.note, a."offset", a.raised_offset,
    a.cause, c.id AS cause_id
FROM alarm a
LEFT JOIN asset s ON s.id = a.asset_id
LEFT JOIN alarm c ON c.client_id = a.client_id AND c.source = a.cause
JOIN node n ON n.id = a.location_id
