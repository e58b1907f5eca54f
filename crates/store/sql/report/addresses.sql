-- Those of some addresses that people of the utility have to whom signing in is not refused.
SELECT DISTINCT lower(email) AS email FROM member WHERE client_id = $1 AND NOT disabled AND NOT demo AND lower(email) = ANY ($2)
