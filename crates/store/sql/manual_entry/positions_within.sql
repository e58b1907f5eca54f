-- The positions that users had entered within a time, the newest first.
SELECT equipment, value, entered, withdrawn FROM manual_entry
WHERE client_id = $1 AND quantity = 'Pos' AND entered < $3 AND (withdrawn IS NULL OR withdrawn > $2)
ORDER BY entered DESC
LIMIT $4
