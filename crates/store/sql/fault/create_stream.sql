INSERT INTO stream (client_id, kind) VALUES ($1, 'fault') ON CONFLICT (client_id, kind) DO NOTHING
