SELECT e.id, e.client_id, e.equipment, e.point_id, e.quantity, e.phases, e.value, e.reason, e.version, e.entered_by, e.entered, e.observed, e.rule
FROM manual_entry e
