-- Those of the person that wait for a second factor, but for the one that has brought it: they may be somebody else's.
UPDATE session SET ended = $3 WHERE member_id = $1 AND id <> $2 AND limited AND ended IS NULL RETURNING id, client_id
