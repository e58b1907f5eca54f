-- Ends the member's other limited sessions, because someone else may have started them.
UPDATE session SET ended = $3 WHERE member_id = $1 AND id <> $2 AND limited AND ended IS NULL RETURNING id, client_id
