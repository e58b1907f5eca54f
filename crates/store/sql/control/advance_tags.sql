-- Counts the changes of a utility's tags, one at a time: an older list can be told from a newer one.
INSERT INTO stream (client_id, kind, top) VALUES ($1, 'tag', 1) ON CONFLICT (client_id, kind) DO UPDATE SET top = stream.top + 1
RETURNING top
