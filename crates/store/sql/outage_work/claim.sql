-- Claims the work for this service. A new utility starts before its first event.
INSERT INTO outage_cursor (client_id, epoch, through, worker) VALUES ($1, $2, 0, $3)
ON CONFLICT (client_id) DO UPDATE SET worker = excluded.worker
RETURNING epoch, through
