-- Rollups: the history in buckets of one minute, ten minutes, one hour and one day.
--
-- A mean weighs time: a value is valid until the next one, at most for its age limit (grid::freshness). A bucket has the integral of its own values only, so
-- that late values of other buckets do not change it; the time between two buckets is added when buckets are combined (grid::downsample). Status points have
-- no rollups: their changes are events.

-- Rows of minutes, ten minutes and hours are packed: one row for a point and a block of an hour, a day, or seven days. The program packs and unpacks them
-- (grid::downsample::packed, docs/decisions/0025-packed-rollups.md).
CREATE TABLE rollup_1m (
    point_id       bigint      NOT NULL,
    start          timestamptz NOT NULL,
    base           float8,
    step           float8,
    n              smallint[]  NOT NULL,
    bad            smallint[],
    worst          smallint[],
    last_at        smallint[],
    first_at       smallint[],
    received_first smallint[],
    received_last  smallint[],
    held_ms        integer[],
    value_last     smallint[],
    value_first    smallint[],
    value_min      smallint[],
    value_max      smallint[],
    value_mean     smallint[],
    exact_last     float8[],
    exact_first    float8[],
    exact_min      float8[],
    exact_max      float8[],
    exact_mean     float8[],
    PRIMARY KEY (point_id, start)
) PARTITION BY RANGE (start);
COMMENT ON TABLE rollup_1m IS 'One-minute buckets of measurands, an hour in a row. Like sample it has no client_id. An entry that is NULL, or an array that is, has the meaning named at its column.';
COMMENT ON COLUMN rollup_1m.point_id IS 'The point.';
COMMENT ON COLUMN rollup_1m.start IS 'Start of the block: a full hour, a midnight in UTC, or a seventh midnight counted from 2000-01-01.';
COMMENT ON COLUMN rollup_1m.base IS 'A figure is base + step * entry; NULL if the figures are exact or there are none.';
COMMENT ON COLUMN rollup_1m.step IS 'A power of two, in the unit of the point; NULL as base.';
COMMENT ON COLUMN rollup_1m.n IS 'Entry i is the i-th bucket of the block: number of all values; NULL if there were none.';
COMMENT ON COLUMN rollup_1m.bad IS 'Number of values of quality 3 or worse; NULL is 0.';
COMMENT ON COLUMN rollup_1m.worst IS 'Worst quality, as sample.quality; NULL is 0.';
COMMENT ON COLUMN rollup_1m.last_at IS 'Source time of the last valid value, in 1/30,000 of a bucket after its start; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.first_at IS 'The same of the first valid value; NULL if it equals last_at.';
COMMENT ON COLUMN rollup_1m.received_first IS 'The same of the first value, valid or not; NULL if it equals first_at.';
COMMENT ON COLUMN rollup_1m.received_last IS 'The same of the last value, valid or not; NULL if it equals last_at.';
COMMENT ON COLUMN rollup_1m.held_ms IS 'Time within the bucket for which a value was known, ms; NULL if it is the time from first_at to last_at.';
COMMENT ON COLUMN rollup_1m.value_last IS 'Last valid value, in steps; NULL if there was none.';
COMMENT ON COLUMN rollup_1m.value_first IS 'First valid value, in steps; NULL if it equals value_last.';
COMMENT ON COLUMN rollup_1m.value_min IS 'Smallest valid value, in steps; NULL if it is the smaller one of value_first and value_last.';
COMMENT ON COLUMN rollup_1m.value_max IS 'Largest valid value, in steps; NULL if it is the larger one of value_first and value_last.';
COMMENT ON COLUMN rollup_1m.value_mean IS 'Mean over time, in steps; NULL if it equals value_first.';
COMMENT ON COLUMN rollup_1m.exact_last IS 'As value_last, but the figure itself; NULL if the row has steps.';
COMMENT ON COLUMN rollup_1m.exact_first IS 'As value_first, but the figure itself; NULL if it equals exact_last.';
COMMENT ON COLUMN rollup_1m.exact_min IS 'As value_min, but the figure itself; NULL if it is the smaller one of exact_first and exact_last.';
COMMENT ON COLUMN rollup_1m.exact_max IS 'As value_max, but the figure itself; NULL if it is the larger one of exact_first and exact_last.';
COMMENT ON COLUMN rollup_1m.exact_mean IS 'As value_mean, but the figure itself; NULL if it equals exact_first.';
COMMENT ON INDEX rollup_1m_pkey IS 'Rows of a point in a period (history/packed_rows_1m, history/packed_stored_1m, history/presence, …).';
GRANT SELECT ON rollup_1m TO switchyard_tenant;

CREATE TABLE rollup_10m (LIKE rollup_1m INCLUDING ALL) PARTITION BY RANGE (start);
-- A point with ten values a second has more in a bucket than a smallint holds.
ALTER TABLE rollup_10m ALTER COLUMN n TYPE integer[], ALTER COLUMN bad TYPE integer[];
COMMENT ON TABLE rollup_10m IS 'Ten-minute buckets, a day in a row; columns as in rollup_1m.';
COMMENT ON INDEX rollup_10m_pkey IS 'Rows of a point in a period (history/packed_rows_1m, history/packed_stored_1m, history/presence, …).';
GRANT SELECT ON rollup_10m TO switchyard_tenant;

CREATE TABLE rollup_1h (LIKE rollup_10m INCLUDING ALL) PARTITION BY RANGE (start);
COMMENT ON TABLE rollup_1h IS 'One-hour buckets, seven days in a row; columns as in rollup_1m.';
COMMENT ON INDEX rollup_1h_pkey IS 'Rows of a point in a period (history/packed_rows_1m, history/packed_stored_1m, history/presence, …).';
GRANT SELECT ON rollup_1h TO switchyard_tenant;

CREATE TABLE rollup_1d (
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
COMMENT ON TABLE rollup_1d IS 'One-day buckets in the zone of the utility. Like sample it has no client_id. Values of quality 3 or worse count only in n and quality_worst.';
COMMENT ON COLUMN rollup_1d.point_id IS 'The point.';
COMMENT ON COLUMN rollup_1d.bucket IS 'Start of the day: midnight in the zone of the utility.';
COMMENT ON COLUMN rollup_1d.first_ts IS 'Source time of the first valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.last_ts IS 'Source time of the last valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.value_min IS 'Smallest valid value, in the unit of the point; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.value_max IS 'Largest valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.value_sum IS 'Sum of the valid values; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.value_first IS 'First valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.value_last IS 'Last valid value; NULL if there was none.';
COMMENT ON COLUMN rollup_1d.n IS 'Number of all values.';
COMMENT ON COLUMN rollup_1d.n_good IS 'Number of valid values.';
COMMENT ON COLUMN rollup_1d.quality_worst IS 'Worst quality, as sample.quality.';
COMMENT ON COLUMN rollup_1d.heard_first IS 'Source time of the first value, valid or not; NULL if it equals first_ts.';
COMMENT ON COLUMN rollup_1d.heard_last IS 'Source time of the last value, valid or not; NULL if it equals last_ts.';
COMMENT ON COLUMN rollup_1d.value_time IS 'Integral of the value over time within the bucket, unit of the point × ms; NULL if not known.';
COMMENT ON COLUMN rollup_1d.held_ms IS 'Time within the bucket for which a value was known, ms; NULL if not known.';
COMMENT ON INDEX rollup_1d_pkey IS 'Buckets of a point in a period (history/expire_1d, history/presence, …).';
GRANT SELECT ON rollup_1d TO switchyard_tenant;

-- The demand of an area is the sum of powers in blocks of a quarter of an hour or two. These are stored apart, because ten minutes do not divide into them, and a
-- year of minutes is too long to read. They are computed together with the buckets of ten minutes and follow late values like these.
CREATE TABLE demand_quarter (
    point_id bigint      NOT NULL,
    day      timestamptz NOT NULL,
    mean     float8[]    NOT NULL,
    minutes  smallint[],
    PRIMARY KEY (point_id, day)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);
COMMENT ON TABLE demand_quarter IS 'Mean power of quarters of an hour, a day (UTC) in a row, for points with the code P. Like sample it has no client_id. Kept as long as hours.';
COMMENT ON COLUMN demand_quarter.point_id IS 'The point.';
COMMENT ON COLUMN demand_quarter.day IS 'Midnight in UTC.';
COMMENT ON COLUMN demand_quarter.mean IS 'Entry i is the i-th quarter of the day: mean of the means of its known minutes, in the unit of the point; NULL if none is known.';
COMMENT ON COLUMN demand_quarter.minutes IS 'Number of the known minutes, 1 to 15; NULL is 15.';
COMMENT ON INDEX demand_quarter_pkey IS 'The quarters of a point on some days (history/demand_rows, history/demand_stored, history/expire_demand).';
GRANT SELECT ON demand_quarter TO switchyard_tenant;

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

CREATE TABLE history_kept (
    level text        PRIMARY KEY CHECK (level IN ('raw', '1m', '10m', '1h', '1d', 'event', 'fault')),
    since timestamptz NOT NULL
);
COMMENT ON TABLE history_kept IS 'Since when each level of the history is kept. Readers return nothing older, whether it is dropped already or not. A level without a row is kept for ever.';
COMMENT ON COLUMN history_kept.level IS 'Values (raw), buckets (1m, 10m, 1h, 1d), event, or fault.';
COMMENT ON COLUMN history_kept.since IS 'A midnight in UTC. It never moves back when the retention becomes longer.';
COMMENT ON INDEX history_kept_pkey IS 'The time of a level (history/keep).';
ALTER TABLE history_kept ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON history_kept USING ((SELECT bound_to_every()));
