SELECT e.id, e.client_id, e.equipment, e.quantity, e.value, e.reason, e.version, e.entered_by, e.entered
FROM manual_entry e
