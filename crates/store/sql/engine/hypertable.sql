-- No default index: the table has the one it needs, and a second costs half the write rate. Seven days a chunk suit up to some hundred values
-- a second; an installation with more sets less (set_chunk_time_interval), so that the indexes of the newest chunk stay in memory.
SELECT create_hypertable('sample', by_range('ts', INTERVAL '7 days'), create_default_indexes => false, migrate_data => true, if_not_exists => true)
