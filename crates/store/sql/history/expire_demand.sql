-- The oldest rows of one point, a limited number at a time.
DELETE FROM demand_quarter WHERE point_id = $1 AND day < $2 AND day <= (
    SELECT max(day) FROM (SELECT day FROM demand_quarter WHERE point_id = $1 AND day < $2 ORDER BY day LIMIT $3) oldest)
