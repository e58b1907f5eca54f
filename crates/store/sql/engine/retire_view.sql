-- The rollup by minute of earlier releases, worked out on reading.
DROP VIEW IF EXISTS sample_1m
