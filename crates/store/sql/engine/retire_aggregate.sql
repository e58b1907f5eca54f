-- Drops the minute rollup of earlier releases, a continuous aggregate of TimescaleDB.
DROP MATERIALIZED VIEW IF EXISTS sample_1m
