-- NULL when the device is none of ours, else whether this person has signed in on it.
SELECT bool_or(lower(m.username) = lower($2)) AS known
FROM known_device d
JOIN member m ON m.id = d.member_id
WHERE d.hash = $1 AND d.last_used > $3
