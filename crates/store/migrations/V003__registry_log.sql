-- Registry log: which utilities, nodes, assets, gateways, points and drawings a transaction has inserted, changed or deleted.
-- Triggers write it in the transaction of the change, so no statement can leave a change out. Services hold the registry in memory and follow the log
-- (crates/registry).

CREATE TABLE registry_change (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction_id bigint      NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    at             timestamptz NOT NULL DEFAULT now(),
    client_id      bigint      NOT NULL,
    kind           text        NOT NULL CHECK (kind IN ('client', 'node', 'asset', 'gateway', 'point')),
    subject_id     bigint
);
COMMENT ON TABLE registry_change IS 'Changes of the registry, written by triggers in the transaction of the change. Old rows are deleted.';
COMMENT ON COLUMN registry_change.id IS 'Generated number.';
COMMENT ON COLUMN registry_change.transaction_id IS 'Number of the transaction (xid8). A reader keeps the snapshot of its last read, and reads the changes of transactions that were not visible in it.';
COMMENT ON COLUMN registry_change.at IS 'Start of the transaction.';
COMMENT ON COLUMN registry_change.client_id IS 'The utility. No foreign key: it can be deleted.';
COMMENT ON COLUMN registry_change.kind IS 'What was changed: client, node, asset, gateway or point.';
COMMENT ON COLUMN registry_change.subject_id IS 'Id of the changed row; NULL if a statement changed more than 1,000 rows: then everything of the utility is read again.';
COMMENT ON INDEX registry_change_pkey IS 'Identity only.';
CREATE INDEX registry_change_transaction ON registry_change (transaction_id);
COMMENT ON INDEX registry_change_transaction IS 'Changes of transactions that the reader has not seen (registry_log/changes).';
CREATE INDEX registry_change_at ON registry_change (at);
COMMENT ON INDEX registry_change_at IS 'Deletes old changes (registry_log/trim).';
ALTER TABLE registry_change ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON registry_change USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON registry_change USING ((SELECT bound_to_every()));

-- Arguments: the kind, the column of the utility, the column of the subject. The transition table `after` has the rows that were inserted or deleted.
CREATE FUNCTION log_registry_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    logged bigint;
BEGIN
    EXECUTE format(
        'WITH changed AS (SELECT DISTINCT %2$I AS client_id, %3$I AS subject_id FROM after), counted AS (SELECT count(*) AS rows FROM changed)
         INSERT INTO registry_change (client_id, kind, subject_id)
         SELECT DISTINCT client_id, %1$L, CASE WHEN counted.rows <= 1000 THEN subject_id END FROM changed, counted',
        TG_ARGV[0], TG_ARGV[1], TG_ARGV[2]
    );
    GET DIAGNOSTICS logged = ROW_COUNT;
    IF logged > 0 THEN
        PERFORM pg_notify('registry_change', '');
    END IF;
    RETURN NULL;
END
$$;

-- The same for updates, without rows that did not change.
CREATE FUNCTION log_registry_updates() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    logged bigint;
BEGIN
    EXECUTE format(
        'WITH differing AS (TABLE after EXCEPT TABLE before),
              changed AS (SELECT DISTINCT %2$I AS client_id, %3$I AS subject_id FROM differing), counted AS (SELECT count(*) AS rows FROM changed)
         INSERT INTO registry_change (client_id, kind, subject_id)
         SELECT DISTINCT client_id, %1$L, CASE WHEN counted.rows <= 1000 THEN subject_id END FROM changed, counted',
        TG_ARGV[0], TG_ARGV[1], TG_ARGV[2]
    );
    GET DIAGNOSTICS logged = ROW_COUNT;
    IF logged > 0 THEN
        PERFORM pg_notify('registry_change', '');
    END IF;
    RETURN NULL;
END
$$;

-- The row of a gateway also has the state of its link, which changes often and is no change of the registry. Only changes of other columns count.
CREATE FUNCTION log_registry_gateway() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO registry_change (client_id, kind, subject_id) VALUES (new.client_id, 'gateway', new.id);
    PERFORM pg_notify('registry_change', '');
    RETURN NULL;
END
$$;
CREATE TRIGGER registry_updated AFTER UPDATE OF client_id, code, name, location_id, discovered ON gateway
    FOR EACH ROW WHEN ((old.client_id, old.code, old.name, old.location_id, old.discovered) IS DISTINCT FROM (new.client_id, new.code, new.name, new.location_id, new.discovered))
    EXECUTE FUNCTION log_registry_gateway();

DO $$
DECLARE
    followed record;
BEGIN
    FOR followed IN
        SELECT * FROM (VALUES
            ('client', 'client', 'id', 'id'), ('node', 'node', 'client_id', 'id'), ('asset', 'asset', 'client_id', 'id'), ('gateway', 'gateway', 'client_id', 'id'),
            ('point', 'point', 'client_id', 'id'), ('drawing', 'node', 'client_id', 'location_id')
        ) AS followed (relation, kind, client, subject)
    LOOP
        EXECUTE format(
            'CREATE TRIGGER registry_inserted AFTER INSERT ON %I REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_registry_rows(%L, %L, %L)',
            followed.relation, followed.kind, followed.client, followed.subject
        );
        EXECUTE format(
            'CREATE TRIGGER registry_deleted AFTER DELETE ON %I REFERENCING OLD TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_registry_rows(%L, %L, %L)',
            followed.relation, followed.kind, followed.client, followed.subject
        );
        CONTINUE WHEN followed.relation = 'gateway';
        EXECUTE format(
            'CREATE TRIGGER registry_updated AFTER UPDATE ON %I REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_registry_updates(%L, %L, %L)',
            followed.relation, followed.kind, followed.client, followed.subject
        );
    END LOOP;
END
$$;
