WITH put AS (
    INSERT INTO client (code, name, time_zone, config)
    VALUES ($1, $2, $3, $4)
    ON CONFLICT (code) DO UPDATE SET name = excluded.name, time_zone = excluded.time_zone, config = excluded.config
    RETURNING id
), begun AS (
    INSERT INTO stream (client_id, kind) SELECT id, 'event' FROM put ON CONFLICT (client_id, kind) DO NOTHING
)
SELECT id FROM put
