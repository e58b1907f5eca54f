-- Of two uses of one code at the same moment one finds its step taken.
UPDATE second_factor SET last_step = $2 WHERE member_id = $1 AND confirmed IS NOT NULL AND last_step < $2
