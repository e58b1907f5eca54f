INSERT INTO temporary_change (client_id, what, terminals, place, location_id, reason, seen_dead, version, member_id, placed_by, placed, request_key, request_body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
RETURNING id, client_id, what, terminals, place, location_id, reason, seen_dead, version, placed_by, placed, removed, removed_by, removed_reason
