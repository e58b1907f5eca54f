-- No default index: the table has the indexes that it needs, and one more of the history costs half the write rate. Chunks of seven days of values are suitable for
-- up to some hundred values a second. Larger installations use shorter chunks (set_chunk_time_interval), so that the indexes of the newest chunk stay in memory.
SELECT create_hypertable('sample', by_range('ts', INTERVAL '7 days'), create_default_indexes => false, migrate_data => true, if_not_exists => true)
