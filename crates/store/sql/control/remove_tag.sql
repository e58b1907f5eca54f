UPDATE tag SET removed_at = clock_timestamp(), removed_by = $3, removed_reason = $4 WHERE client_id = $1 AND id = $2
