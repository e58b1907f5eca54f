-- From this age on, in days, chunks are compressed; 0: none that is not yet.
DO $$
BEGIN
    PERFORM remove_compression_policy('sample', if_exists => true);
    IF current_setting('app.compress_days')::int > 0 THEN
        PERFORM add_compression_policy('sample', make_interval(days => current_setting('app.compress_days')::int), if_not_exists => true);
    END IF;
END
$$
