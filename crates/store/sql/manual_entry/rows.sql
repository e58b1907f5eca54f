SELECT e.id, e.client_id, e.equipment, e.point_id, e.quantity, e.phases, e.value, e.reason, e.version, e.entered_by, e.entered, e.observed, e.rule, e.seen_epoch, e.seen_seq
FROM manual_entry e
