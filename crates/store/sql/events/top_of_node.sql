WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
SELECT coalesce(max(w."offset"), 0) AS top
FROM below
JOIN event_newest w ON w.location_id = below.id AND w.client_id = $1
