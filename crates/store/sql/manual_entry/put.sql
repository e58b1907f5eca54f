INSERT INTO manual_entry (client_id, equipment, point_id, quantity, phases, value, reason, version, member_id, entered_by, entered, observed, rule, seen_epoch, seen_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
RETURNING id, client_id, equipment, point_id, quantity, phases, value, reason, version, entered_by, entered, observed, rule, seen_epoch, seen_seq
