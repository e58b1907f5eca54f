-- What users had entered for equipment and points at a time or later, with the time of the withdrawal, the newest first.
SELECT
    e.id, e.client_id, e.equipment, e.point_id, e.quantity, e.phases, e.value, e.reason, e.version, e.entered_by, e.entered, e.observed, e.rule, e.seen_epoch, e.seen_seq, e.withdrawn
FROM manual_entry e
WHERE e.client_id = $1 AND (e.withdrawn IS NULL OR e.withdrawn >= $2)
ORDER BY e.entered DESC, e.id DESC
LIMIT $3
