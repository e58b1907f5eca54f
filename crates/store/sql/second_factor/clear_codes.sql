DELETE FROM recovery_code WHERE member_id = $1
