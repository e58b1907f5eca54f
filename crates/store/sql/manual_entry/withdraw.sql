UPDATE manual_entry SET withdrawn = $3, withdrawn_by = $4, withdrawn_reason = $5
WHERE client_id = $1 AND id = $2 AND withdrawn IS NULL
RETURNING id, client_id, equipment, point_id, quantity, phases, value, reason, version, entered_by, entered, observed, rule, seen_epoch, seen_seq
