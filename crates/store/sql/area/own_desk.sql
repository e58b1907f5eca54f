-- The desk at which a session sits: the one that it has chosen, or the default desk.
SELECT d.id
FROM desk d
WHERE d.client_id = $1
    AND CASE WHEN EXISTS (SELECT FROM session_desk s WHERE s.session_id = $2 AND s.client_id = $1)
        THEN d.id = (SELECT s.desk_id FROM session_desk s WHERE s.session_id = $2 AND s.client_id = $1)
        ELSE d.is_default END
