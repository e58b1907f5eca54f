-- A node that is known already keeps its name and its place; the update is there to have the id returned.
INSERT INTO node (client_id, level, parent_id, code, name)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (client_id, level, code) DO UPDATE SET code = excluded.code
RETURNING id
