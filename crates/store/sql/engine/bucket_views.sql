-- Creates the views of unpacked buckets, for queries by hand. It is no migration: a table that becomes a hypertable loses its view.
DO $$
DECLARE
    level record;
    meaning record;
BEGIN
    FOR level IN SELECT * FROM (VALUES ('1m', '1 minute'), ('10m', '10 minutes'), ('1h', '1 hour')) AS levels (name, width) LOOP
        CONTINUE WHEN to_regclass('bucket_' || level.name) IS NOT NULL;
        EXECUTE format($view$
            CREATE VIEW bucket_%1$s AS
            SELECT point_id, bucket, n, CASE WHEN value_last IS NULL THEN 0 ELSE n - bad END AS n_good, worst AS quality_worst, first_ts, last_ts,
                received_first, received_last, held_ms, value_last, value_first, coalesce(value_min, least(value_first, value_last)) AS value_min,
                coalesce(value_max, greatest(value_first, value_last)) AS value_max, coalesce(value_mean, value_first) AS value_mean
            FROM (
                SELECT *, coalesce(first_value, value_last) AS value_first, coalesce(held_entry, extract(epoch FROM last_ts - first_ts) * 1000)::float8 AS held_ms,
                    coalesce(received_first_entry, first_ts) AS received_first, coalesce(received_last_entry, last_ts) AS received_last
                FROM (
                    SELECT r.point_id, r.start + (i - 1) * INTERVAL '%2$s' AS bucket, r.n[i]::integer AS n, coalesce(r.bad[i], 0)::integer AS bad,
                        coalesce(r.worst[i], 0::smallint) AS worst, r.held_ms[i] AS held_entry,
                        coalesce(r.exact_last[i], r.base + r.step * r.value_last[i]) AS value_last,
                        coalesce(r.exact_first[i], r.base + r.step * r.value_first[i]) AS first_value,
                        coalesce(r.exact_min[i], r.base + r.step * r.value_min[i]) AS value_min,
                        coalesce(r.exact_max[i], r.base + r.step * r.value_max[i]) AS value_max,
                        coalesce(r.exact_mean[i], r.base + r.step * r.value_mean[i]) AS value_mean,
                        r.start + (i - 1 + coalesce(r.first_at[i], r.last_at[i]) / 30000.0::float8) * INTERVAL '%2$s' AS first_ts,
                        r.start + (i - 1 + r.last_at[i] / 30000.0::float8) * INTERVAL '%2$s' AS last_ts,
                        r.start + (i - 1 + r.received_first[i] / 30000.0::float8) * INTERVAL '%2$s' AS received_first_entry,
                        r.start + (i - 1 + r.received_last[i] / 30000.0::float8) * INTERVAL '%2$s' AS received_last_entry
                    FROM rollup_%1$s r
                    CROSS JOIN generate_subscripts(r.n, 1) AS i
                    WHERE r.n[i] IS NOT NULL
                ) entries
            ) times
        $view$, level.name, level.width);
        EXECUTE format('COMMENT ON VIEW bucket_%s IS %L', level.name,
            format('The buckets of rollup_%s, one in a row, for queries by hand. Give a point: its whole history is unpacked.', level.name));
        FOR meaning IN SELECT * FROM (VALUES
            ('point_id', 'The point; never NULL.'),
            ('bucket', 'Start of the bucket; never NULL.'),
            ('n', 'Number of all values; never NULL.'),
            ('n_good', 'Number of valid values; never NULL.'),
            ('quality_worst', 'Worst quality, as sample.quality; never NULL.'),
            ('first_ts', 'Source time of the first valid value; NULL if there was none.'),
            ('last_ts', 'Source time of the last valid value; NULL if there was none.'),
            ('received_first', 'Source time of the first value, valid or not; never NULL.'),
            ('received_last', 'Source time of the last value, valid or not; never NULL.'),
            ('held_ms', 'Time within the bucket for which a value was known, ms; NULL if there was none.'),
            ('value_last', 'Last valid value, in the unit of the point; NULL if there was none.'),
            ('value_first', 'First valid value; NULL if there was none.'),
            ('value_min', 'Smallest valid value; NULL if there was none.'),
            ('value_max', 'Largest valid value; NULL if there was none.'),
            ('value_mean', 'Mean over time; NULL if there was no valid value.')
        ) AS meanings (name, text) LOOP
            EXECUTE format('COMMENT ON COLUMN bucket_%s.%I IS %L', level.name, meaning.name, meaning.text);
        END LOOP;
    END LOOP;
END
$$
