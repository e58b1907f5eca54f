-- No row if there is no such member, the member is disabled, or the member's sessions were ended since the generation $8 was read with the password.
WITH started AS (
    INSERT INTO session (client_id, member_id, access_until, idle_ms, begun, last_seen, generation)
    SELECT client_id, id, $3::timestamptz, $6::bigint, $7::timestamptz, $7, generation
    FROM member
    WHERE id = $1 AND NOT disabled AND generation = coalesce($8, generation)
    RETURNING id, access_until
), access AS (
    INSERT INTO session_access (hash, session_id, until) SELECT $2::bytea, id, access_until FROM started
), secret AS (
    INSERT INTO session_refresh (hash, session_id, until) SELECT $4::bytea, id, $5::timestamptz FROM started
)
SELECT id FROM started
