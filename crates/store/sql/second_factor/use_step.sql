-- Of two simultaneous uses of one code only one updates the row.
UPDATE second_factor SET last_step = $2 WHERE member_id = $1 AND confirmed IS NOT NULL AND last_step < $2
