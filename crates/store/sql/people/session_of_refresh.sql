-- The open session of a refresh secret that is not used yet.
SELECT s.id AS session_id, s.client_id
FROM session_refresh r
JOIN session s ON s.id = r.session_id AND s.ended IS NULL
WHERE r.hash = $1 AND r.used IS NULL
