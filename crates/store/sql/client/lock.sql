-- One change of what belongs to a utility as a whole at a time. Rows that refer to it may be entered meanwhile.
SELECT id, code, name, time_zone, config FROM client WHERE id = $1 FOR NO KEY UPDATE
