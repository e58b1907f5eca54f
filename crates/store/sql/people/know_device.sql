-- A new device secret replaces the previous one ($5). Each member keeps the twenty that were used last.
WITH known AS (
    INSERT INTO known_device (hash, member_id, client_id, last_used) SELECT $1::bytea, id, client_id, $3::timestamptz FROM member WHERE id = $2
), marked AS (
    UPDATE session SET device = $1 WHERE id = $4
)
DELETE FROM known_device WHERE member_id = $2 AND (hash = $5 OR hash IN
    (SELECT hash FROM known_device WHERE member_id = $2 AND hash IS DISTINCT FROM $5 ORDER BY last_used DESC OFFSET 19))
