-- More than one sign-in begins, so that none stay; their secrets and tickets go with them.
DELETE FROM session WHERE id IN (
    SELECT s.id
    FROM session s
    WHERE s.access_until < $1 AND NOT EXISTS (SELECT FROM session_refresh r WHERE r.session_id = s.id AND r.until >= $1)
    ORDER BY s.access_until
    LIMIT 20
    FOR UPDATE OF s SKIP LOCKED)
