-- A substation with more sections than allowed.
SELECT n.code, count(*) AS sections
FROM cable_section s
JOIN node n ON n.id = s.location_id
WHERE s.client_id = $1 AND n.client_id = $1
GROUP BY n.code
HAVING count(*) > $2
ORDER BY n.code
LIMIT 1
