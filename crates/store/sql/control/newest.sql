-- The newest state of each command of a substation that was requested after a time, newest first.
WHERE c.client_id = $1 AND c.location_id = $2 AND c.requested_at > $3
ORDER BY c.requested_at DESC, c."offset" DESC
LIMIT $4
