-- Late values are accepted for seven days, so nothing newer is compressed. The service that maintains the history sets the age from its settings.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM timescaledb_information.jobs WHERE proc_name = 'policy_compression' AND hypertable_name = 'sample') THEN
        ALTER TABLE sample SET (timescaledb.compress, timescaledb.compress_segmentby = 'point_id', timescaledb.compress_orderby = 'ts');
        PERFORM add_compression_policy('sample', INTERVAL '8 days', if_not_exists => true);
    END IF;
END
$$
