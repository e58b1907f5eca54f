-- The oldest blocks of one point that start at $2 or before, a limited number at a time.
DELETE FROM rollup_1m WHERE point_id = $1 AND start <= $2 AND start <= (
    SELECT max(start) FROM (SELECT start FROM rollup_1m WHERE point_id = $1 AND start <= $2 ORDER BY start LIMIT $3) oldest)
