-- The change that an earlier request with the same key has placed.
SELECT id, request_body = $3 AS is_same FROM temporary_change WHERE client_id = $1 AND request_key = $2
