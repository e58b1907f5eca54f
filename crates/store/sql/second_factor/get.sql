SELECT
    f.secret, f.confirmed IS NOT NULL AS is_on,
    (SELECT count(*) FROM recovery_code r WHERE r.member_id = f.member_id AND r.used IS NULL) AS codes
FROM second_factor f
WHERE f.member_id = $1
