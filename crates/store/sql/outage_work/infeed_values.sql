-- The values of a point of a utility within a day up to a time, newest first.
SELECT ts, value
FROM sample
WHERE point_id = (SELECT id FROM point WHERE client_id = $1 AND id = $2) AND ts <= $3 AND ts > $3::timestamptz - interval '1 day' AND quality <= $4
ORDER BY ts DESC
LIMIT $5
