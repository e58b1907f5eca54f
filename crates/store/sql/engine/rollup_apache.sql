-- As rollup_plain; time_bucket lets the planner leave out chunks by a condition on the bucket.
CREATE OR REPLACE VIEW sample_1m WITH (security_invoker = true) AS
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
