-- As forget_alarms, for changes of faults.
DELETE FROM fault_event WHERE client_id = $1 AND "offset" <= (
    SELECT max("offset") FROM (SELECT "offset", at FROM fault_event WHERE client_id = $1 ORDER BY "offset" LIMIT $3) oldest WHERE at < $2)
