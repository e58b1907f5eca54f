-- Whether every change of a utility's faults after an offset is still stored. The oldest changes are deleted first.
SELECT top <= $2 OR EXISTS (SELECT FROM fault_event WHERE client_id = $1 AND "offset" = $2 + 1) AS reach FROM stream WHERE client_id = $1 AND kind = 'fault'
