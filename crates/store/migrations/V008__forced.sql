-- Row-level security for everybody, the owner of the tables included. A connection says in app.client_id for whom it works: for one utility by its id, or
-- for 'every' one (ingest, hubs, sign-in, administration of the whole). One that says nothing sees nothing and writes nothing.

CREATE FUNCTION bound_client() RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT CASE WHEN current_setting('app.client_id', true) ~ '^[0-9]{1,18}$' THEN current_setting('app.client_id', true)::bigint END $$;

CREATE FUNCTION bound_to_every() RETURNS boolean LANGUAGE sql STABLE AS
$$ SELECT coalesce(current_setting('app.client_id', true) = 'every', false) $$;

-- As sub-selects they are asked once a statement and not once a row.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN SELECT DISTINCT tablename FROM pg_policies WHERE schemaname = current_schema AND policyname = 'tenant' LOOP
        EXECUTE format('DROP POLICY tenant ON %I', found.tablename);
        IF found.tablename = 'client' THEN
            CREATE POLICY tenant ON client USING (id = (SELECT bound_client()));
        ELSIF found.tablename = 'session_refresh' THEN
            CREATE POLICY tenant ON session_refresh USING (EXISTS (SELECT FROM session WHERE session.id = session_id));
        ELSE
            EXECUTE format('CREATE POLICY tenant ON %I USING (client_id = (SELECT bound_client()))', found.tablename);
        END IF;
    END LOOP;
    FOR found IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema AND rowsecurity LOOP
        EXECUTE format('CREATE POLICY every ON %I USING ((SELECT bound_to_every()))', found.tablename);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', found.tablename);
    END LOOP;
END
$$;

-- Questions about one utility are asked in a role that may only read, and only what a utility's people may be shown: not one of secrets. It is not the
-- owner of anything and not exempt from anything, also where the services connect as a superuser.
DO $$
BEGIN
    CREATE ROLE switchyard_tenant NOLOGIN;
EXCEPTION
    -- Roles belong to the server and not to the database: another one has made it, perhaps at this moment.
    WHEN duplicate_object OR unique_violation THEN NULL;
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the role switchyard_tenant is missing, and this user may not create it'
            USING HINT = 'As a superuser: CREATE ROLE switchyard_tenant NOLOGIN; GRANT switchyard_tenant TO the user of database.url';
END
$$;
DO $$
BEGIN
    EXECUTE format('GRANT switchyard_tenant TO %I', current_user);
EXCEPTION
    -- A member already, by somebody who may do what this user may not; or another process grants it at this moment.
    WHEN insufficient_privilege OR unique_violation OR internal_error THEN NULL;
END
$$;
DO $$
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO switchyard_tenant', current_schema);
END
$$;
GRANT SELECT ON client, node, asset, gateway, device, point, drawing, latest, stream, event, sample, dead_letter, page, page_access TO switchyard_tenant;
