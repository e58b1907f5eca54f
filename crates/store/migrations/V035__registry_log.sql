-- The log of the registry: which utilities, nodes, assets, gateways, points and drawings a transaction has inserted, changed or deleted. Triggers write it in that
-- transaction, so no statement can leave a change out. Services hold the registry in memory and follow the log (crates/registry).

CREATE TABLE registry_change (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The transaction. A reader keeps the snapshot of its last read, and takes the changes of transactions that were not visible in it.
    transaction_id bigint      NOT NULL DEFAULT (pg_current_xact_id()::text::bigint),
    at             timestamptz NOT NULL DEFAULT now(),
    client_id      bigint      NOT NULL,
    kind           text        NOT NULL CHECK (kind IN ('client', 'node', 'asset', 'gateway', 'point')),
    -- Null after a statement that has changed more than 1,000 rows: then everything of this utility is read again.
    subject_id     bigint
);
CREATE INDEX registry_change_transaction ON registry_change (transaction_id);
CREATE INDEX registry_change_at ON registry_change (at);

ALTER TABLE registry_change ENABLE ROW LEVEL SECURITY;
ALTER TABLE registry_change FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON registry_change USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON registry_change USING ((SELECT bound_to_every()));

-- Arguments: the kind, the column of the utility, the column of the subject. The transition table `after` has the rows that were inserted, or those deleted.
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

-- The same for updates, without rows that stay as they were.
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

-- A gateway's row also has the state of its link, which changes all the time and is no change of the registry: only statements that set other columns count.
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
