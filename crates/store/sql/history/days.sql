-- The midnights of a time zone, from the last one at or before $2 to the first one at or after $3.
SELECT day AT TIME ZONE $1::text AS start
FROM generate_series(
    date_trunc('day', $2::timestamptz AT TIME ZONE $1::text),
    date_trunc('day', ($3::timestamptz - INTERVAL '1 microsecond') AT TIME ZONE $1::text) + INTERVAL '1 day',
    INTERVAL '1 day') AS day
ORDER BY 1
