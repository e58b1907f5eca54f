-- A request made before. One without a key of its own counts as the same for a moment only, and not where it was refused: asking again is then all that is left.
SELECT command_id, action, refusal
FROM control_request
WHERE client_id = $1 AND key = $2 AND ($3::timestamptz IS NULL OR at > $3 AND refusal IS NULL)
