-- Whether TimescaleDB is installed on the server, loaded into it (its loader's settings are there only then; unlike shared_preload_libraries
-- they can be read without privileges), created in this database, and under which licence.
SELECT
    EXISTS (SELECT FROM pg_available_extensions WHERE name = 'timescaledb') AS available,
    EXISTS (SELECT FROM pg_settings WHERE name LIKE 'timescaledb.%') AS loaded,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'timescaledb') AS created,
    current_setting('timescaledb.license', true) AS license
