-- The nodes of the area of node $2 of utility $1. Begins statements that concern an area.
WITH RECURSIVE below (id) AS (
    SELECT id FROM node WHERE client_id = $1 AND id = $2
    UNION ALL
    SELECT node.id FROM node JOIN below ON node.parent_id = below.id
)
