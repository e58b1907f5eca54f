-- The alarms that are active according to the stored state, with which a service continues after its start.
WHERE a.client_id = $1 AND a.state IN ('active_unacked', 'active_acked', 'suppressed')
