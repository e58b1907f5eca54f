-- Sets the age in days from which chunks are compressed; 0 compresses no further chunks.
DO $$
BEGIN
    PERFORM remove_compression_policy('sample', if_exists => true);
    IF current_setting('app.compress_days')::int > 0 THEN
        PERFORM add_compression_policy('sample', make_interval(days => current_setting('app.compress_days')::int), if_not_exists => true);
    END IF;
END
$$
