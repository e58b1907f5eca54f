-- An existing node keeps its name and parent. The update only makes RETURNING return its id.
INSERT INTO node (client_id, level, parent_id, code, name)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (client_id, level, code) DO UPDATE SET code = excluded.code
RETURNING id
