-- A link for each of the people with this address, as far as there are hashes; several utilities may know one address.
WITH found AS (
    SELECT m.id, m.client_id, m.username, m.email, row_number() OVER (ORDER BY m.id) AS place
    FROM member m
    WHERE lower(m.email) = lower($1) AND NOT m.disabled AND NOT m.demo
), entered AS (
    INSERT INTO password_reset (hash, client_id, member_id, until)
    SELECT ($2::bytea[])[place], client_id, id, $3 FROM found WHERE place <= cardinality($2::bytea[])
    RETURNING hash
)
SELECT (found.place - 1)::integer AS place, found.id AS member_id, found.client_id, found.username, found.email
FROM found
WHERE found.place <= (SELECT count(*) FROM entered)
ORDER BY found.place
