-- Not materialized_only: what the refresh has not reached yet is worked out on reading, so the newest minutes are there at once.
CREATE MATERIALIZED VIEW IF NOT EXISTS sample_1m WITH (timescaledb.continuous, timescaledb.materialized_only = false) AS
SELECT
    point_id,
    time_bucket(INTERVAL '1 minute', ts) AS bucket,
    count(*) AS n,
    count(value) FILTER (WHERE quality < 3) AS n_good,
    min(value) FILTER (WHERE quality < 3) AS value_min,
    max(value) FILTER (WHERE quality < 3) AS value_max,
    sum(value) FILTER (WHERE quality < 3) AS value_sum,
    max(quality) AS quality_worst
FROM sample
GROUP BY point_id, time_bucket(INTERVAL '1 minute', ts)
WITH NO DATA
