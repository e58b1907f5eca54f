-- The open requests of a utility, or of one area.
SELECT id, area_id, kind, from_desk, to_desk, reason, made_by, made, expires, member_id
FROM area_request
WHERE client_id = $1 AND ($2::bigint IS NULL OR area_id = $2) AND ended IS NULL
ORDER BY id
