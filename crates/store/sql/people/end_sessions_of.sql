-- Sessions that are created at the same time have the previous generation, so they are invalid.
WITH raised AS (
    UPDATE member SET generation = generation + 1 WHERE id = $1
)
UPDATE session SET ended = $2 WHERE member_id = $1 AND ended IS NULL RETURNING id, client_id
