-- The rollup by minute where the engine keeps none: the same name and columns, worked out on reading. Values that the device itself calls
-- stale or worse (quality 3 and up) are counted in n but in no figure.
CREATE OR REPLACE VIEW sample_1m WITH (security_invoker = true) AS
SELECT
    point_id,
    date_bin(INTERVAL '1 minute', ts, TIMESTAMPTZ '2000-01-01 00:00:00+00') AS bucket,
    count(*) AS n,
    count(value) FILTER (WHERE quality < 3) AS n_good,
    min(value) FILTER (WHERE quality < 3) AS value_min,
    max(value) FILTER (WHERE quality < 3) AS value_max,
    sum(value) FILTER (WHERE quality < 3) AS value_sum,
    max(quality) AS quality_worst
FROM sample
GROUP BY point_id, date_bin(INTERVAL '1 minute', ts, TIMESTAMPTZ '2000-01-01 00:00:00+00')
