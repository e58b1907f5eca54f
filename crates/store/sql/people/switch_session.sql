-- No row if the session has ended, its member is not permitted to switch, or there is no such utility. The latest end and the generation of the old session are
-- kept, so that ending all sessions of the member at the same time ends the new one too.
WITH old AS (
    SELECT
        s.id, s.client_id, s.member_id, s.device, s.generation, c.id AS next_id,
        (SELECT max(r.until) FROM session_refresh r WHERE r.session_id = s.id) AS until
    FROM session s
    JOIN member m ON m.id = s.member_id AND m.role_id = 1 AND NOT m.disabled AND NOT m.demo
    JOIN client c ON c.id = $2
    WHERE s.id = $1 AND s.ended IS NULL AND s.generation = m.generation
    FOR UPDATE OF s
), ended AS (
    UPDATE session SET ended = $7 FROM old WHERE session.id = old.id
), begun AS (
    INSERT INTO session (client_id, member_id, access_until, idle_ms, begun, last_seen, device, generation)
    SELECT next_id, member_id, least($4::timestamptz, until), $6::bigint, $7::timestamptz, $7, device, generation FROM old
    RETURNING id, access_until
), access AS (
    INSERT INTO session_access (hash, session_id, until) SELECT $3::bytea, id, access_until FROM begun
), secret AS (
    INSERT INTO session_refresh (hash, session_id, until) SELECT $5::bytea, begun.id, old.until FROM begun, old
)
SELECT begun.id, old.client_id AS from_client, old.member_id FROM begun, old
