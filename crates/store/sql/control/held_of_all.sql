-- The points of a utility with an unfinished command.
SELECT point_id FROM reservation WHERE client_id = $1 AND released IS NULL ORDER BY point_id
