UPDATE temporary_change SET removed = $3, removed_by = $4, removed_reason = $5, removal_key = $6, removal_body = $7
WHERE client_id = $1 AND id = $2 AND removed IS NULL
RETURNING id, client_id, what, terminals, place, location_id, reason, seen_dead, version, placed_by, placed, removed, removed_by, removed_reason
