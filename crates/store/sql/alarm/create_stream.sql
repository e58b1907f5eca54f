INSERT INTO stream (client_id, kind) VALUES ($1, 'alarm') ON CONFLICT (client_id, kind) DO NOTHING
