-- Rollups of a minute, ten minutes and an hour in packed form: one row for a point and an hour, a day, or seven days (UTC, counted from 2000-01-01). The program
-- packs and unpacks them (grid::downsample::packed); docs/decisions/0025-packed-rollups.md describes the form. Days keep one row a bucket, because they are
-- those of a time zone.
--
-- Like the history itself these tables have no client_id: a row belongs to the utility of its point, and readers join `point`.
DROP TABLE rollup_1m, rollup_10m, rollup_1h;
CREATE TABLE rollup_1m (
    point_id       bigint      NOT NULL,
    start          timestamptz NOT NULL, -- of the block
    base           float8,               -- a figure is base + step * entry; NULL if the figures are exact or absent
    step           float8,
    n              smallint[]  NOT NULL, -- entry i is the i-th bucket of the block: number of values received; NULL is no bucket
    bad            smallint[],           -- number of these that are not usable; NULL is 0
    worst          smallint[],           -- the worst quality; NULL is 0
    last_at        smallint[],           -- source time of the last usable value, in 1/30,000 of a bucket after its start
    first_at       smallint[],           -- the same of the first one; NULL is last_at
    received_first smallint[],           -- the same of the first value received, usable or not; NULL is first_at
    received_last  smallint[],           -- the same of the last value received; NULL is last_at
    held_ms        integer[],            -- time in which values were valid, ms; NULL is from first_at to last_at
    value_last     smallint[],           -- figures of the usable values in steps
    value_first    smallint[],           -- NULL is value_last
    value_min      smallint[],           -- NULL is the smaller one of value_first and value_last
    value_max      smallint[],           -- NULL is the larger one
    value_mean     smallint[],           -- over time; NULL is value_first
    exact_last     float8[],             -- figures as they are, instead of steps, with the same meaning of NULL
    exact_first    float8[],
    exact_min      float8[],
    exact_max      float8[],
    exact_mean     float8[],
    PRIMARY KEY (point_id, start)
);
CREATE TABLE rollup_10m (LIKE rollup_1m INCLUDING ALL);
-- A point with ten values a second has more in a bucket than a smallint holds.
ALTER TABLE rollup_10m ALTER COLUMN n TYPE integer[], ALTER COLUMN bad TYPE integer[];
CREATE TABLE rollup_1h (LIKE rollup_10m INCLUDING ALL);
GRANT SELECT ON rollup_1m, rollup_10m, rollup_1h TO switchyard_tenant;

-- Vacuum by number of rows: a share of a large table would come too late.
ALTER TABLE rollup_1m SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE rollup_10m SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
ALTER TABLE rollup_1h SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- Unpacked buckets, for queries by hand. Give a point: its whole history is unpacked.
DO $$
DECLARE
    level record;
BEGIN
    FOR level IN SELECT * FROM (VALUES ('1m', '1 minute'), ('10m', '10 minutes'), ('1h', '1 hour')) AS levels (name, width) LOOP
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
    END LOOP;
END
$$;
