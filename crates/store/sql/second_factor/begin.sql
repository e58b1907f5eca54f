-- No row if a confirmed second factor exists, or there is no such member. An unconfirmed one is replaced.
INSERT INTO second_factor (member_id, client_id, secret, begun)
SELECT id, client_id, $2, $3 FROM member WHERE id = $1 AND NOT disabled AND NOT demo
ON CONFLICT (member_id) DO UPDATE SET secret = excluded.secret, begun = excluded.begun WHERE second_factor.confirmed IS NULL
RETURNING member_id
