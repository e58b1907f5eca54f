-- Deletes more expired sessions than a sign-in creates, so that none accumulate. Their secrets and tickets are deleted with them.
DELETE FROM session WHERE id IN (
    SELECT s.id
    FROM session s
    WHERE s.access_until < $1 AND NOT EXISTS (SELECT FROM session_refresh r WHERE r.session_id = s.id AND r.until >= $1)
    ORDER BY s.access_until
    LIMIT 20
    FOR UPDATE OF s SKIP LOCKED)
