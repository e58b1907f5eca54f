-- No row if another setup was started meanwhile, or the second factor is confirmed already.
UPDATE second_factor SET confirmed = $3, last_step = $4 WHERE member_id = $1 AND secret = $2 AND confirmed IS NULL
RETURNING member_id
