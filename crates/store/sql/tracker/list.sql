-- Planned notes by due date; done and cancelled ones last.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT
    t.id, t.client_id, t.location_id, n.name AS location_name, t.asset_id, a.name AS asset_name, t.text, t.owner, t.due::text AS due, t.state,
    t.created_by, t.created, t.changed,
    t.due < (now() AT TIME ZONE c.time_zone)::date AND t.state IN ('planned', 'in_progress') AS overdue
FROM action_note t
JOIN client c ON c.id = t.client_id
JOIN node n ON n.id = t.location_id
LEFT JOIN asset a ON a.id = t.asset_id
WHERE t.client_id = $1 AND ($2::bigint IS NULL OR t.location_id = ANY (ARRAY(SELECT id FROM below))) AND ($3::bigint IS NULL OR t.asset_id = $3)
ORDER BY t.state IN ('done', 'cancelled'), t.due, t.id
LIMIT $4
