-- Withdraws the current entries that a new one replaces: those for the same value of the same equipment or point, if their phases are among those of the new
-- one, and those for the points ($9) and the equipment ($10) with the same position. Empty phases are all phases.
UPDATE manual_entry SET withdrawn = $6, withdrawn_by = $7, withdrawn_reason = $8
WHERE client_id = $1 AND withdrawn IS NULL
  AND (point_id = $3 OR point_id = ANY ($9::bigint[])
    OR (equipment = $2 OR equipment = ANY ($10::text[])) AND quantity = $4 AND ($5 = '' OR phases <> '' AND translate(phases, $5, '') = ''))
RETURNING id, client_id, equipment, point_id, quantity, phases, value, reason, version, entered_by, entered, observed, rule, seen_epoch, seen_seq
