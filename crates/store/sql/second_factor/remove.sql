-- The recovery codes are deleted with it.
DELETE FROM second_factor WHERE member_id = $1
RETURNING confirmed IS NOT NULL AS was_on
