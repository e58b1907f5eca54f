-- Allows one change of a utility's settings at a time. Rows that refer to the utility can be inserted meanwhile.
SELECT id, code, name, time_zone, config FROM client WHERE id = $1 FOR NO KEY UPDATE
