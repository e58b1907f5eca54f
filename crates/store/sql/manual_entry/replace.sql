-- Withdraws the current entry for a quantity of equipment, if there is one.
UPDATE manual_entry SET withdrawn = $4, withdrawn_by = $5, withdrawn_reason = $6
WHERE client_id = $1 AND equipment = $2 AND quantity = $3 AND withdrawn IS NULL
RETURNING id, client_id, equipment, quantity, value, reason, version, entered_by, entered
