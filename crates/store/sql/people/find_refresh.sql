-- The lock orders two simultaneous uses of one secret.
SELECT
    r.used,
    -- The answer to the first use may have been lost. A second use by the browser that signed in, identified by a cookie that scripts cannot read, counts as
    -- the same use. A browser that has used a later secret did receive the answer. Its tabs send requests of their own, which can arrive late ($4 seconds).
    r.used > $2::timestamptz - INTERVAL '60 seconds' AND s.device = ANY ($3::bytea[])
    AND NOT EXISTS (
        SELECT FROM session_refresh later
        WHERE later.session_id = s.id AND later.used > r.used AND later.used <= $2::timestamptz - $4::bigint * INTERVAL '1 second') AS again,
    s.id AS session_id, s.client_id, s.member_id,
    s.ended IS NULL AND s.generation = m.generation AND r.until > $2 AND s.last_seen + s.idle_ms * INTERVAL '1 millisecond' > $2 AND NOT m.disabled
    AND (s.client_id = m.client_id OR m.role_id = 1)
    -- Limit of renewals: twenty times the number of regular renewals in 12 h, so that no session fills the table.
    AND (SELECT count(*) FROM session_refresh o WHERE o.session_id = s.id) < 1000 AS good
FROM session_refresh r
JOIN session s ON s.id = r.session_id
JOIN member m ON m.id = s.member_id
WHERE r.hash = $1
FOR UPDATE OF r, s
