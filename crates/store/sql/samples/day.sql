-- Start and end of the day that contains a time, in the utility's time zone.
SELECT
    date_trunc('day', $2::timestamptz AT TIME ZONE time_zone) AT TIME ZONE time_zone AS day_from,
    (date_trunc('day', $2::timestamptz AT TIME ZONE time_zone) + interval '1 day') AT TIME ZONE time_zone AS day_until
FROM client
WHERE id = $1
