-- Turns a partitioned table into an ordinary one, which becomes a hypertable. Its rows are copied: there are some if TimescaleDB was installed later. Views of the
-- table are dropped (engine/bucket_views).
DO $$
DECLARE
    parted oid := 'sample'::regclass;
    again text[];
    statement text;
BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = parted) <> 'p' THEN
        RETURN;
    END IF;
    LOCK TABLE sample IN ACCESS EXCLUSIVE MODE;
    -- Statements that give the new table what LIKE does not copy.
    SELECT array_agg(entry.statement ORDER BY entry.place, entry.name) INTO again
    FROM (
        SELECT 1 AS place, conname AS name, format('ALTER TABLE sample ADD CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)) AS statement
        FROM pg_constraint
        WHERE conrelid = parted AND contype IN ('p', 'u', 'f')
        UNION ALL
        SELECT 2, c.relname, replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ')
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = parted AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.conrelid = parted)
        UNION ALL
        SELECT 3, c.relname, format('COMMENT ON INDEX %I IS %L', c.relname, obj_description(c.oid, 'pg_class'))
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = parted
        UNION ALL
        SELECT 4, relname, 'ALTER TABLE sample ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'
        FROM pg_class
        WHERE oid = parted AND relrowsecurity
        UNION ALL
        SELECT 5, policyname, format('CREATE POLICY %I ON sample FOR %s USING (%s)', policyname, cmd, qual)
        FROM pg_policies
        WHERE schemaname = current_schema AND tablename = 'sample'
        UNION ALL
        SELECT 6, relname, format('COMMENT ON TABLE sample IS %L', obj_description(oid, 'pg_class')) FROM pg_class WHERE oid = parted
        UNION ALL
        SELECT 7, NULL, 'GRANT SELECT ON sample TO switchyard_tenant'
    ) entry;
    FOR statement IN
        SELECT DISTINCT format('DROP VIEW %s', r.ev_class::regclass)
        FROM pg_depend d
        JOIN pg_rewrite r ON r.oid = d.objid
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = parted
    LOOP
        EXECUTE statement;
    END LOOP;
    FOR statement IN
        SELECT format('ALTER INDEX %I RENAME TO %I', c.relname, c.relname || '_parted')
        FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = parted
    LOOP
        EXECUTE statement;
    END LOOP;
    ALTER TABLE sample RENAME TO sample_parted;
    CREATE TABLE sample (LIKE sample_parted INCLUDING ALL EXCLUDING INDEXES);
    INSERT INTO sample SELECT * FROM sample_parted;
    FOREACH statement IN ARRAY again LOOP
        EXECUTE statement;
    END LOOP;
    DROP TABLE sample_parted;
END
$$
