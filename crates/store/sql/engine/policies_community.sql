-- Late data is taken for seven days, so nothing younger is compressed and the refresh reaches back as far.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM timescaledb_information.jobs WHERE proc_name = 'policy_compression' AND hypertable_name = 'sample') THEN
        ALTER TABLE sample SET (timescaledb.compress, timescaledb.compress_segmentby = 'point_id', timescaledb.compress_orderby = 'ts');
        PERFORM add_compression_policy('sample', INTERVAL '8 days', if_not_exists => true);
    END IF;
    PERFORM add_continuous_aggregate_policy('sample_1m',
        start_offset => INTERVAL '7 days', end_offset => INTERVAL '2 minutes', schedule_interval => INTERVAL '1 minute', if_not_exists => true);
END
$$
