-- A station with a row after $2 may have one up to $2 as well, so $2 is returned for it: then its earlier rows are read from the database.
SELECT location_id, least("offset", $2::bigint) AS "offset", 0::bigint AS oldest
FROM event_newest
WHERE client_id = $1 AND $2::bigint > 0
