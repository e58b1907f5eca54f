-- The earlier request with the same key. A request without a key of its own is recognised for a moment only, and not if it was refused, so that it can be
-- repeated.
SELECT command_id, action, refusal, body
FROM control_request
WHERE client_id = $1 AND key = $2 AND ($3::timestamptz IS NULL OR at > $3 AND refusal IS NULL)
