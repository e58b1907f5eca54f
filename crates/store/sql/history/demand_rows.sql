-- The stored quarters of an hour of some points and days.
SELECT q.mean, q.minutes, d.nth
FROM unnest($1::bigint[], $2::timestamptz[]) WITH ORDINALITY AS d (point_id, day, nth)
JOIN demand_quarter q ON q.point_id = d.point_id AND q.day = d.day
