INSERT INTO recovery_code (hash, member_id, client_id)
SELECT hash, f.member_id, f.client_id
FROM second_factor f
CROSS JOIN unnest($2::bytea[]) AS hash
WHERE f.member_id = $1 AND f.confirmed IS NOT NULL
