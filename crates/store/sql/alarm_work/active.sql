-- Where the conditions stand by what is stored: a service that begins goes on from there.
SELECT source FROM alarm WHERE client_id = $1 AND state IN ('active_unacked', 'active_acked')
