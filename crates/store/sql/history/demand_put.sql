-- Stores the quarters of an hour of a point and day.
INSERT INTO demand_quarter (point_id, day, mean, minutes)
VALUES ($1, $2, $3, $4)
ON CONFLICT (point_id, day) DO UPDATE SET mean = excluded.mean, minutes = excluded.minutes
