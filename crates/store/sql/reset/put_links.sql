-- A link for each member with this address, at most one for each hash; several utilities can have members with one address. The members are locked until the
-- end, so that a member whose address changed meanwhile gets no link.
WITH held AS MATERIALIZED (
    SELECT id, client_id, username, email FROM member WHERE lower(email) = lower($1) AND NOT disabled AND NOT demo FOR SHARE
), found AS (
    SELECT id, client_id, username, email, row_number() OVER (ORDER BY id) AS place FROM held
), entered AS (
    INSERT INTO password_reset (hash, client_id, member_id, until)
    SELECT ($2::bytea[])[place], client_id, id, $3 FROM found WHERE place <= cardinality($2::bytea[])
    RETURNING hash
)
SELECT (found.place - 1)::integer AS place, found.id AS member_id, found.client_id, found.username, found.email
FROM found
WHERE found.place <= (SELECT count(*) FROM entered)
ORDER BY found.place
