-- Begins statements that return tags.
SELECT t.id, t.client_id, t.asset_id, a.name AS asset_name, t.location_id, t.kind, t.holder, t.holder_id, t.reason, t.placed_at, t.expires_at
FROM tag t
JOIN asset a ON a.id = t.asset_id
