INSERT INTO temporary_change (client_id, what, terminals, place, location_id, reason, seen_dead, version, member_id, placed_by, placed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
RETURNING id, client_id, what, terminals, place, location_id, reason, seen_dead, version, placed_by, placed, removed, removed_by, removed_reason
