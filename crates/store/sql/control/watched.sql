-- Every status point: whose position or trip an order may have to know.
SELECT id, gateway_id, device, code FROM point WHERE encoding IS NOT NULL
