-- Allows one change of a utility's alarms at a time, by the service or a user: what is read under this lock does not change, and offsets are in commit order.
SELECT epoch, top, now() AS now FROM stream WHERE client_id = $1 AND kind = 'alarm' FOR UPDATE
