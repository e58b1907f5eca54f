-- Row-level security by utility, prepared: a connection that is bound to one (`SET app.client_id`) sees and writes that one alone, and a
-- connection that is bound to none sees nothing. The owner of the tables is still exempt; FORCE and a role of its own for the services come
-- when every connection is bound. `sample` has no client_id (see there) and is reached through `point`.

DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['node', 'asset', 'gateway', 'point', 'drawing', 'latest', 'stream', 'event', 'dead_letter', 'member', 'session'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (client_id = nullif(current_setting(''app.client_id'', true), '''')::bigint)', tenant_table);
    END LOOP;
END
$$;

ALTER TABLE client ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON client USING (id = nullif(current_setting('app.client_id', true), '')::bigint);

ALTER TABLE session_refresh ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON session_refresh USING (EXISTS (SELECT FROM session WHERE session.id = session_id));
