-- Keeps the newest files of a user, up to the limit.
DELETE FROM demand_file
WHERE client_id = $1 AND member_id = $2 AND handle_hash IN (
    SELECT handle_hash FROM demand_file WHERE client_id = $1 AND member_id = $2 ORDER BY created DESC, handle_hash OFFSET $3)
