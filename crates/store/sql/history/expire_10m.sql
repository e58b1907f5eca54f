-- The oldest rows of one point, a limited number at a time.
DELETE FROM rollup_10m WHERE point_id = $1 AND bucket < $2 AND bucket <= (
    SELECT max(bucket) FROM (SELECT bucket FROM rollup_10m WHERE point_id = $1 AND bucket < $2 ORDER BY bucket LIMIT $3) oldest)
