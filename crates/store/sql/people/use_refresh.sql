-- The latest end of the session is kept: neither a new secret nor a token is valid longer. Browsers renew automatically, so a renewal does not count as use of
-- the session.
WITH used AS (
    UPDATE session_refresh SET used = coalesce(used, $6) WHERE hash = $1 RETURNING session_id, until
), next AS (
    INSERT INTO session_refresh (hash, session_id, until) SELECT $4::bytea, session_id, least($5::timestamptz, until) FROM used
)
UPDATE session SET access_hash = $2, access_until = least($3::timestamptz, used.until) FROM used WHERE session.id = used.session_id
