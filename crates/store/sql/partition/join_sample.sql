-- Turns the partitioned table of values into an ordinary one, for a database in which TimescaleDB was installed later. Its rows are copied.
DO $$
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = 'sample'::regclass) <> 'p' THEN
        RETURN;
    END IF;
    LOCK TABLE sample IN ACCESS EXCLUSIVE MODE;
    ALTER TABLE sample RENAME TO sample_parted;
    ALTER INDEX sample_key RENAME TO sample_parted_key;
    CREATE TABLE sample (LIKE sample_parted INCLUDING ALL EXCLUDING INDEXES);
    INSERT INTO sample SELECT * FROM sample_parted;
    CREATE UNIQUE INDEX sample_key ON sample (point_id, ts);
    GRANT SELECT ON sample TO switchyard_tenant;
    EXECUTE format('COMMENT ON TABLE sample IS %L', obj_description('sample_parted'::regclass, 'pg_class'));
    EXECUTE format('COMMENT ON INDEX sample_key IS %L', obj_description('sample_parted_key'::regclass, 'pg_class'));
    DROP TABLE sample_parted;
END
$$
