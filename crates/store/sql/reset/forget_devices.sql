DELETE FROM known_device WHERE member_id = $1
