-- Turns the table of values into a partitioned one. Its rows stay where they are, in the first partition, which ends with the present week.
DO $$
DECLARE
    newest timestamptz;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = 'sample'::regclass) <> 'r' THEN
        RETURN;
    END IF;
    LOCK TABLE sample IN ACCESS EXCLUSIVE MODE;
    SELECT greatest(max(ts), now()) INTO newest FROM sample;
    ALTER TABLE sample RENAME TO sample_first;
    ALTER INDEX sample_key RENAME TO sample_first_key;
    CREATE TABLE sample (LIKE sample_first INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (ts);
    CREATE UNIQUE INDEX sample_key ON sample (point_id, ts);
    GRANT SELECT ON sample TO switchyard_tenant;
    EXECUTE format('COMMENT ON TABLE sample IS %L', obj_description('sample_first'::regclass, 'pg_class'));
    EXECUTE format('COMMENT ON INDEX sample_key IS %L', obj_description('sample_first_key'::regclass, 'pg_class'));
    REVOKE ALL ON sample_first FROM switchyard_tenant;
    EXECUTE format(
        'ALTER TABLE sample ATTACH PARTITION sample_first FOR VALUES FROM (MINVALUE) TO (%L)',
        (date_trunc('week', newest AT TIME ZONE 'UTC') + INTERVAL '7 days') AT TIME ZONE 'UTC'
    );
END
$$
