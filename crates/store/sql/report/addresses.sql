-- Those of the given addresses that belong to users of the utility who are not disabled.
SELECT DISTINCT lower(email) AS email FROM member WHERE client_id = $1 AND NOT disabled AND NOT demo AND lower(email) = ANY ($2)
