-- The change that an earlier request with the same key has removed.
SELECT id, removal_body = $3 AS is_same FROM temporary_change WHERE client_id = $1 AND removal_key = $2
