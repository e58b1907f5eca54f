-- Outages are derived again when the momentary threshold of the utility changes.
ALTER TABLE outage_layout ADD COLUMN momentary_ms bigint NOT NULL DEFAULT 300000 CHECK (momentary_ms >= -1);
COMMENT ON COLUMN outage_layout.momentary_ms IS 'Longest momentary interruption by the configuration of the utility, ms: losses within it are one outage.';
