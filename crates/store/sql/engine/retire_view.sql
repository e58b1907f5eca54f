-- Drops the minute rollup of earlier releases, a view.
DROP VIEW IF EXISTS sample_1m
