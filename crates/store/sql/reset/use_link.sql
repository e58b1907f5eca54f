-- The password changes only if the link is valid at this moment. All other links of the member become invalid.
WITH used AS (
    UPDATE password_reset SET used = $2 WHERE hash = $1 AND used IS NULL AND until > $2 RETURNING member_id
)
UPDATE member SET password_hash = $3, has_password = true FROM used WHERE member.id = used.member_id AND NOT disabled AND NOT demo RETURNING member.id, member.client_id
