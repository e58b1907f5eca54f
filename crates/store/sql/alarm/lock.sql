-- One change of a utility's alarms at a time, by the service or by a person: what is read behind this lock stays so, and offsets come in the order of commit.
SELECT epoch, top, now() AS now FROM stream WHERE client_id = $1 AND kind = 'alarm' FOR UPDATE
