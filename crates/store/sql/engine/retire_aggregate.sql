-- The rollup by minute of earlier releases, which TimescaleDB kept.
DROP MATERIALIZED VIEW IF EXISTS sample_1m
