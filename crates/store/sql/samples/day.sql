-- When the day of an instant begins and ends in the utility's zone.
SELECT
    date_trunc('day', $2::timestamptz AT TIME ZONE time_zone) AT TIME ZONE time_zone AS day_from,
    (date_trunc('day', $2::timestamptz AT TIME ZONE time_zone) + interval '1 day') AT TIME ZONE time_zone AS day_until
FROM client
WHERE id = $1
