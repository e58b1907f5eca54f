-- The oldest ended faults, a limited number at a time, after all their changes have been deleted.
DELETE FROM fault WHERE client_id = $1 AND id IN (
    SELECT f.id FROM fault f
    WHERE f.client_id = $1 AND f.started < $2 AND f.ended < $2
        AND NOT EXISTS (SELECT FROM fault_event e WHERE e.client_id = $1 AND e.fault_id = f.id)
    ORDER BY f.started
    LIMIT $3)
