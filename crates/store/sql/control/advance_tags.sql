-- Increases the version of a utility's tags with each change, so that an older list is recognised.
INSERT INTO stream (client_id, kind, top) VALUES ($1, 'tag', 1) ON CONFLICT (client_id, kind) DO UPDATE SET top = stream.top + 1
RETURNING top
