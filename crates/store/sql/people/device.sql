-- The device secret of a browser that this member received last.
SELECT d.hash
FROM known_device d
JOIN member m ON m.id = d.member_id
WHERE d.hash = ANY($1) AND lower(m.username) = lower($2) AND d.last_used > $3
ORDER BY d.last_used DESC
LIMIT 1
