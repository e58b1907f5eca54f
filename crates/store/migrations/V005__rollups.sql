-- Rollups: the history in buckets of one minute, ten minutes, one hour and one day.
--
-- A mean weighs time: a value is valid until the next one, at most for its age limit (grid::freshness). A bucket has the integral of its own values only, so
-- that late values of other buckets do not change it; the time between two buckets is added when buckets are combined (grid::downsample). Status points have
-- no rollups: their changes are events.

-- Returns how long a value is valid at most, ms; NULL if its point reports by exception. As grid::freshness::age_limit_ms.
CREATE FUNCTION age_limit_ms(expected_ms bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN expected_ms IS NOT NULL THEN greatest(3 * expected_ms, 30000) END
$$;

-- Returns for how long a value was valid that was followed by another one, ms.
CREATE FUNCTION held_ms(since timestamptz, next timestamptz, limit_ms bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT least(date_part('epoch', next - since) * 1000, limit_ms::float8)
$$;

CREATE TABLE rollup_1m (
    point_id      bigint      NOT NULL,
    bucket        timestamptz NOT NULL,
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
    heard_first   timestamptz,
    heard_last    timestamptz,
    value_time    float8,
    held_ms       float8,
    PRIMARY KEY (point_id, bucket)
);
COMMENT ON TABLE rollup_1m IS 'One-minute buckets of measurands. Like sample it has no client_id. Values of quality 3 or worse count only in n and quality_worst.';
COMMENT ON COLUMN rollup_1m.point_id IS 'The point.';
COMMENT ON COLUMN rollup_1m.bucket IS 'Start of the bucket; a day begins at midnight in the zone of the utility.';
COMMENT ON COLUMN rollup_1m.first_ts IS 'Source time of the first valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.last_ts IS 'Source time of the last valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.value_min IS 'Smallest valid value, in the unit of the point; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.value_max IS 'Largest valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.value_sum IS 'Sum of the valid values; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.value_first IS 'First valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.value_last IS 'Last valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.n IS 'Number of all values.';
COMMENT ON COLUMN rollup_1m.n_good IS 'Number of valid values.';
COMMENT ON COLUMN rollup_1m.quality_worst IS 'Worst quality, as sample.quality.';
COMMENT ON COLUMN rollup_1m.heard_first IS 'Source time of the first value, valid or not; NULL if it equals first_ts.';
COMMENT ON COLUMN rollup_1m.heard_last IS 'Source time of the last value, valid or not; NULL if it equals last_ts.';
COMMENT ON COLUMN rollup_1m.value_time IS 'Integral of the value over time within the bucket, unit of the point × ms; NULL if not known.';
COMMENT ON COLUMN rollup_1m.held_ms IS 'Time within the bucket for which a value was known, ms; NULL if not known.';
COMMENT ON INDEX rollup_1m_pkey IS 'Buckets of a point in a period (history/expire_1m, history/fresh, history/presence, …).';
GRANT SELECT ON rollup_1m TO switchyard_tenant;

CREATE TABLE rollup_10m (LIKE rollup_1m INCLUDING ALL);
COMMENT ON TABLE rollup_10m IS 'Ten-minute buckets; columns as in rollup_1m.';
COMMENT ON INDEX rollup_10m_pkey IS 'Buckets of a point in a period (history/expire_10m, history/presence, history/put_10m, …).';
GRANT SELECT ON rollup_10m TO switchyard_tenant;

CREATE TABLE rollup_1h (LIKE rollup_1m INCLUDING ALL);
COMMENT ON TABLE rollup_1h IS 'One-hour buckets; columns as in rollup_1m.';
COMMENT ON INDEX rollup_1h_pkey IS 'Buckets of a point in a period (history/expire_1h, history/presence, history/put_1h, …).';
GRANT SELECT ON rollup_1h TO switchyard_tenant;

CREATE TABLE rollup_1d (LIKE rollup_1m INCLUDING ALL);
COMMENT ON TABLE rollup_1d IS 'One-day buckets in the zone of the utility; columns as in rollup_1m.';
COMMENT ON INDEX rollup_1d_pkey IS 'Buckets of a point in a period (history/expire_1d, history/presence, history/put_1d, …).';
GRANT SELECT ON rollup_1d TO switchyard_tenant;

-- A recomputation takes the ranges first and reads the values after that. So it reads all values whose range it has taken; a value that is not committed yet
-- brings its own range.
CREATE TABLE rollup_dirty (
    level smallint    NOT NULL,
    block bigint      NOT NULL,
    lo    timestamptz NOT NULL,
    hi    timestamptz NOT NULL,
    aside boolean     NOT NULL DEFAULT false
) WITH (autovacuum_vacuum_scale_factor = 0.05);
COMMENT ON TABLE rollup_dirty IS 'Dirty ranges: periods whose rollups must be recomputed. The writer adds them in the transaction of its values.';
COMMENT ON COLUMN rollup_dirty.level IS 'Level to recompute: 1 one minute, 2 ten minutes, 3 one hour, 4 one day.';
COMMENT ON COLUMN rollup_dirty.block IS 'Block of 64 points: point id >> 6.';
COMMENT ON COLUMN rollup_dirty.lo IS 'Start of the range.';
COMMENT ON COLUMN rollup_dirty.hi IS 'End of the range, exclusive.';
COMMENT ON COLUMN rollup_dirty.aside IS 'Whether the range could not be recomputed. It is tried again when the program starts; until then finer data answer.';
CREATE INDEX rollup_dirty_block ON rollup_dirty (block);
COMMENT ON INDEX rollup_dirty_block IS 'Dirty ranges of the points of a request (history/dirty, history/presence, history/take_dirty).';
CREATE INDEX rollup_dirty_newest ON rollup_dirty (level, hi);
COMMENT ON INDEX rollup_dirty_newest IS 'End of the newest dirty range of a level (history/newest_dirty).';
ALTER TABLE rollup_dirty ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY everybody ON rollup_dirty FOR SELECT USING (true);
CREATE POLICY every ON rollup_dirty USING ((SELECT bound_to_every()));
GRANT SELECT ON rollup_dirty TO switchyard_tenant;

CREATE TABLE history_brought (
    client_id bigint      PRIMARY KEY REFERENCES client,
    until     timestamptz NOT NULL,
    done      timestamptz NOT NULL,
    registers jsonb       NOT NULL CHECK (jsonb_typeof(registers) = 'object')
);
COMMENT ON TABLE history_brought IS 'Imported history of a utility, from the newest day backwards, so that an interrupted import continues.';
COMMENT ON COLUMN history_brought.client_id IS 'The utility.';
COMMENT ON COLUMN history_brought.until IS 'End of the imported history.';
COMMENT ON COLUMN history_brought.done IS 'Start of the part that is complete.';
COMMENT ON COLUMN history_brought.registers IS 'Values of energy registers at done, as a JSON object by point, so that earlier days continue them.';
COMMENT ON INDEX history_brought_pkey IS 'The import of a utility (seed/put_brought).';
ALTER TABLE history_brought ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON history_brought USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON history_brought USING ((SELECT bound_to_every()));
