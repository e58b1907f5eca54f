WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT coalesce(max(top), 0) AS top
FROM below
CROSS JOIN LATERAL (SELECT max("offset") AS top FROM event WHERE client_id = $1 AND location_id = below.id) t
