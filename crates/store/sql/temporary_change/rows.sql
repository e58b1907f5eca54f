SELECT
    t.id, t.client_id, t.what, t.terminals, t.place, t.location_id, t.reason, t.seen_dead, t.version, t.placed_by, t.placed, t.removed, t.removed_by, t.removed_reason
FROM temporary_change t
