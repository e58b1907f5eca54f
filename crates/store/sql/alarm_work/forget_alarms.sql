-- The oldest changes of a utility's alarms, a limited number at a time, so that only the start of the stream is deleted.
DELETE FROM alarm_event WHERE client_id = $1 AND "offset" <= (
    SELECT max("offset") FROM (SELECT "offset", at FROM alarm_event WHERE client_id = $1 ORDER BY "offset" LIMIT $3) oldest WHERE at < $2)
