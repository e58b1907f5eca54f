-- The latest end of the session is kept: neither a new secret nor a token is valid longer. Browsers renew automatically, so a renewal does not count as use of
-- the session.
WITH presented AS (
    SELECT session_id, until, used FROM session_refresh WHERE hash = $1
), used AS (
    -- Two tabs that renewed at the same moment have received a secret each. The first use of one of them replaces both.
    UPDATE session_refresh r SET used = $6 FROM presented p WHERE r.session_id = p.session_id AND r.used IS NULL AND p.used IS NULL
), next AS (
    INSERT INTO session_refresh (hash, session_id, until) SELECT $4::bytea, session_id, least($5::timestamptz, until) FROM presented
), expired AS (
    DELETE FROM session_access a USING presented p WHERE a.session_id = p.session_id AND a.until <= $6
), former AS (
    UPDATE session_access a SET until = least(a.until, $7::timestamptz) FROM presented p WHERE a.session_id = p.session_id AND a.until > $6
), access AS (
    INSERT INTO session_access (hash, session_id, until) SELECT $2::bytea, session_id, least($3::timestamptz, until) FROM presented
)
UPDATE session SET access_until = least($3::timestamptz, p.until) FROM presented p WHERE session.id = p.session_id
