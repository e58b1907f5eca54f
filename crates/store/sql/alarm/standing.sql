-- Alarms that are not normal, of the whole utility, of the area of a node, or of one asset. Active unacknowledged alarms come first, so that the limit leaves
-- out the least important ones.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT
    a.id, a.client_id, a.source, a.kind, a.priority, a.point_id, a.asset_id, s.name AS asset_name, a.location_id, n.name AS location_name, a.text, a.value,
    a.limit_value, a.unit, a.customers, a.state, a.count, a.raised, a.cleared, a.acknowledged, a.acknowledged_by, a.shelved_until, a.shelved_by,
    a.shelved_reason, a.owner, a.note, a."offset", a.raised_offset
FROM alarm a
LEFT JOIN asset s ON s.id = a.asset_id
JOIN node n ON n.id = a.location_id
WHERE a.client_id = $1 AND a.state <> 'normal' AND ($2::bigint IS NULL OR a.location_id = ANY (ARRAY(SELECT id FROM below)))
    AND ($3::bigint IS NULL OR a.asset_id = $3)
ORDER BY array_position(ARRAY['active_unacked', 'active_acked', 'cleared_unacked'], a.state), a.priority, a.raised DESC, a.id
LIMIT $4
