-- Begins statements that return action notes.
SELECT
    t.id, t.client_id, t.location_id, n.name AS location_name, t.asset_id, a.name AS asset_name, t.text, t.owner, t.due::text AS due, t.state,
    t.created_by, t.created, t.changed,
    t.due < (now() AT TIME ZONE c.time_zone)::date AND t.state IN ('planned', 'in_progress') AS overdue
FROM action_note t
JOIN client c ON c.id = t.client_id
JOIN node n ON n.id = t.location_id
LEFT JOIN asset a ON a.id = t.asset_id
