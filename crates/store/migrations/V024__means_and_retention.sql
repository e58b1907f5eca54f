-- Means weigh time: a value holds until the next one, at most as long as it counts as fresh (grid::freshness, trust.md 2.4). A bucket has the integral of its
-- values from the first that was received to the last, so that it depends on its own values alone, however late others come; what lies between the last value
-- of a bucket and the first of another is added by whoever puts them together (grid::downsample::Held).
--
-- Buckets that were made before have none of it: their mean stays that of their values.
ALTER TABLE rollup_1m
    ADD COLUMN heard_first timestamptz, -- when the first value was measured, valid or not; NULL where that is first_ts
    ADD COLUMN heard_last timestamptz,  -- the same of the last one
    ADD COLUMN value_time float8,       -- value times ms
    ADD COLUMN held_ms float8;          -- for how long there were values
ALTER TABLE rollup_10m ADD COLUMN heard_first timestamptz, ADD COLUMN heard_last timestamptz, ADD COLUMN value_time float8, ADD COLUMN held_ms float8;
ALTER TABLE rollup_1h ADD COLUMN heard_first timestamptz, ADD COLUMN heard_last timestamptz, ADD COLUMN value_time float8, ADD COLUMN held_ms float8;
ALTER TABLE rollup_1d ADD COLUMN heard_first timestamptz, ADD COLUMN heard_last timestamptz, ADD COLUMN value_time float8, ADD COLUMN held_ms float8;

-- How long a value of a point holds at most, ms, by how far its values are expected apart; NULL, which is for ever, where they come by exception. As
-- grid::freshness::age_limit_ms.
CREATE FUNCTION age_limit_ms(expected_ms bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN expected_ms IS NOT NULL THEN greatest(3 * expected_ms, 30000) END
$$;

-- For how long a value held that was followed by another, ms.
CREATE FUNCTION held_ms(since timestamptz, next timestamptz, limit_ms bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT least(date_part('epoch', next - since) * 1000, limit_ms::float8)
$$;

-- Faults go when their changes have gone.
CREATE INDEX fault_event_of_fault ON fault_event (client_id, fault_id);
