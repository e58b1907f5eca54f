SELECT f.id, f.at, m.username, c.name AS client, f.page, f.text
FROM feedback f
JOIN member m ON m.id = f.member_id
JOIN client c ON c.id = f.client_id
ORDER BY f.id DESC
LIMIT $1
