-- The member is locked until the end, so that a change of the address happens before or after this, and not between creating the link and reading the address.
WITH found AS (
    SELECT id, client_id, username, email, has_password FROM member WHERE id = $2 AND NOT disabled AND NOT demo FOR SHARE
), entered AS (
    INSERT INTO password_reset (hash, client_id, member_id, until)
    SELECT $1, client_id, id, CASE WHEN has_password THEN $4::timestamptz ELSE $3::timestamptz END FROM found
    RETURNING hash
)
SELECT found.username, found.email, NOT found.has_password AS is_first FROM found CROSS JOIN entered
