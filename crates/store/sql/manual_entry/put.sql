INSERT INTO manual_entry (client_id, equipment, quantity, value, reason, version, member_id, entered_by, entered)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING id, client_id, equipment, quantity, value, reason, version, entered_by, entered
