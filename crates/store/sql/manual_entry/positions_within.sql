-- The positions that users had entered for equipment within a time, also of single phases, the newest first.
SELECT equipment, value, entered, withdrawn FROM manual_entry
WHERE client_id = $1 AND equipment IS NOT NULL AND quantity = 'Pos' AND entered < $3 AND (withdrawn IS NULL OR withdrawn > $2)
ORDER BY entered DESC
LIMIT $4
