-- The history made small: values by the minute, ten minutes, hour and day (grid::downsample). Kept by the same statements on every engine.
--
-- Like the history itself these tables have no client_id: a row belongs to the utility of its point, and readers join `point`. Values that the device itself
-- calls stale or worse (quality 3 and up) are counted in n and in quality_worst, and in no figure. Status points have none: their changes are events.
CREATE TABLE rollup_1m (
    point_id      bigint      NOT NULL,
    bucket        timestamptz NOT NULL, -- its start; a day begins with the midnight of the utility's time zone
    first_ts      timestamptz,
    last_ts       timestamptz,
    value_min     float8,
    value_max     float8,
    value_sum     float8,
    value_first   float8,
    value_last    float8,
    n             integer     NOT NULL,
    n_good        integer     NOT NULL,
    quality_worst smallint    NOT NULL,
    PRIMARY KEY (point_id, bucket)
);
CREATE TABLE rollup_10m (LIKE rollup_1m INCLUDING ALL);
CREATE TABLE rollup_1h (LIKE rollup_1m INCLUDING ALL);
CREATE TABLE rollup_1d (LIKE rollup_1m INCLUDING ALL);

-- What is not in the rollups yet: time ranges of blocks of 64 points (id >> 6), by the level that has to be worked out anew (1 minute, 2 ten minutes, 3 hour,
-- 4 day). The writer adds to it in the transaction of its values, and only adds: whoever works a range out takes the marks first and reads the values after
-- that, so what was committed with a mark that has been taken is always seen, and what is not committed yet brings its own.
CREATE TABLE rollup_dirty (
    level smallint    NOT NULL,
    block bigint      NOT NULL,
    lo    timestamptz NOT NULL,
    hi    timestamptz NOT NULL,
    -- Could not be worked out: it is left until the program starts anew, and answered from what is finer.
    aside boolean     NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX rollup_dirty_block ON rollup_dirty (block);
CREATE INDEX rollup_dirty_newest ON rollup_dirty (level, hi);

-- Ranges say nothing of a utility; whoever reads rollups has to know them.
ALTER TABLE rollup_dirty ENABLE ROW LEVEL SECURITY;
ALTER TABLE rollup_dirty FORCE ROW LEVEL SECURITY;
CREATE POLICY everybody ON rollup_dirty FOR SELECT USING (true);
CREATE POLICY every ON rollup_dirty USING ((SELECT bound_to_every()));

GRANT SELECT ON rollup_1m, rollup_10m, rollup_1h, rollup_1d, rollup_dirty TO switchyard_tenant;

-- A time zone that the server knows. One that it does not know must not keep the days of all other utilities from being worked out.
CREATE FUNCTION known_zone(zone text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM now() AT TIME ZONE zone;
    RETURN zone;
EXCEPTION
    WHEN invalid_parameter_value THEN RETURN 'UTC';
END
$$;

-- What the history has already.
INSERT INTO rollup_dirty (level, block, lo, hi)
SELECT 1, p.id >> 6, date_trunc('minute', min(oldest.ts)), date_trunc('minute', max(newest.ts)) + INTERVAL '1 minute'
FROM point p
CROSS JOIN LATERAL (SELECT ts FROM sample WHERE point_id = p.id ORDER BY ts LIMIT 1) oldest
CROSS JOIN LATERAL (SELECT ts FROM sample WHERE point_id = p.id ORDER BY ts DESC LIMIT 1) newest
GROUP BY p.id >> 6;
