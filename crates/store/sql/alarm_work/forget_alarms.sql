-- The oldest changes of a utility's alarms, so many at a time: the stream loses its beginning and nothing in between.
DELETE FROM alarm_event WHERE client_id = $1 AND "offset" <= (
    SELECT max("offset") FROM (SELECT "offset", at FROM alarm_event WHERE client_id = $1 ORDER BY "offset" LIMIT $3) oldest WHERE at < $2)
