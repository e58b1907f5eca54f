-- Every status point, because a command may depend on its position or trip.
SELECT id, gateway_id, device, code FROM point WHERE encoding IS NOT NULL
