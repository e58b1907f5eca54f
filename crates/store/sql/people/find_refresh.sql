-- The lock makes two uses of one secret at the same moment a first and a second.
SELECT
    r.used,
    -- The answer to its first use may not have arrived: from the browser that signed in, known by a cookie that no script reads, it counts as the same use.
    -- Whoever has used what came after it has had that answer.
    r.used > $2::timestamptz - INTERVAL '60 seconds' AND s.device = ANY ($3::bytea[])
    AND NOT EXISTS (SELECT FROM session_refresh later WHERE later.session_id = s.id AND later.used > r.used) AS again,
    s.id AS session_id, s.client_id, s.member_id,
    s.ended IS NULL AND s.generation = m.generation AND r.until > $2 AND s.last_seen + s.idle_ms * INTERVAL '1 millisecond' > $2 AND NOT m.disabled
    AND (s.client_id = m.client_id OR m.role_id = 1)
    -- Twenty times what 12 h take by the clock: no session fills the table.
    AND (SELECT count(*) FROM session_refresh o WHERE o.session_id = s.id) < 1000 AS good
FROM session_refresh r
JOIN session s ON s.id = r.session_id
JOIN member m ON m.id = s.member_id
WHERE r.hash = $1
FOR UPDATE OF r, s
