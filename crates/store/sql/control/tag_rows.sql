-- Begins statements that return tags.
SELECT
    t.id, t.client_id, t.scope, t.asset_id, coalesce(a.name, n.name) AS asset_name, coalesce(a.device, '') AS bay, t.location_id, t.kind, t.holder, t.holder_id, t.reason, t.placed_at, t.expires_at
FROM tag t
JOIN node n ON n.id = t.location_id
LEFT JOIN asset a ON a.id = t.asset_id
