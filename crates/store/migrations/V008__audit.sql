-- Audit: actions of users, as one chain of hashes for each utility.

CREATE TABLE audit_chain (
    chain bigint PRIMARY KEY,
    seq   bigint NOT NULL DEFAULT 0,
    hash  bytea  NOT NULL DEFAULT sha256('') CHECK (length(hash) = 32)
);
COMMENT ON TABLE audit_chain IS 'Heads of the chains.';
COMMENT ON COLUMN audit_chain.chain IS 'Id of the utility; 0 for actions that belong to none.';
COMMENT ON COLUMN audit_chain.seq IS 'Number of the newest row.';
COMMENT ON COLUMN audit_chain.hash IS 'Hash of the newest row.';
COMMENT ON INDEX audit_chain_pkey IS 'The head of a chain, and its lock.';
ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON audit_chain USING ((SELECT bound_to_every()));

CREATE TABLE audit (
    chain          bigint      NOT NULL,
    seq            bigint      NOT NULL,
    at             timestamptz NOT NULL,
    client_id      bigint,
    actor_id       bigint,
    session_id     bigint,
    action         text        NOT NULL,
    subject        text        NOT NULL,
    before         jsonb,
    after          jsonb,
    from_address   text        NOT NULL,
    correlation_id text        NOT NULL,
    hash           bytea       NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (chain, seq)
);
COMMENT ON TABLE audit IS 'Actions of users. Rows are never changed or deleted. No foreign keys: the subject can be deleted.';
COMMENT ON COLUMN audit.chain IS 'Id of the utility; 0 for actions that belong to none.';
COMMENT ON COLUMN audit.seq IS 'Number in the chain, without gaps.';
COMMENT ON COLUMN audit.at IS 'Time of the entry.';
COMMENT ON COLUMN audit.client_id IS 'The utility; NULL if the action belongs to none.';
COMMENT ON COLUMN audit.actor_id IS 'The user (member.id); NULL for the system.';
COMMENT ON COLUMN audit.session_id IS 'The session; NULL if there was none.';
COMMENT ON COLUMN audit.action IS 'Name of the action, such as sign_in.';
COMMENT ON COLUMN audit.subject IS 'What the action concerned.';
COMMENT ON COLUMN audit.before IS 'State before the action as JSON; NULL if there was none. Never contains passwords or tokens.';
COMMENT ON COLUMN audit.after IS 'State after the action as JSON; NULL if there is none.';
COMMENT ON COLUMN audit.from_address IS 'Network address of the request.';
COMMENT ON COLUMN audit.correlation_id IS 'Id of the request.';
COMMENT ON COLUMN audit.hash IS 'SHA-256 of the hash of the row before and this row.';
COMMENT ON INDEX audit_pkey IS 'Newest entries of a utility; verification of a chain (audit/between, audit/page).';
CREATE INDEX audit_at ON audit (chain, at, seq);
COMMENT ON INDEX audit_at IS 'Entries of a period (audit/between).';
CREATE INDEX audit_sign_out ON audit (chain, subject) WHERE action = 'sign_out';
COMMENT ON INDEX audit_sign_out IS 'The sign-out of a session (people/ends_of_sessions).';
ALTER TABLE audit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON audit USING ((SELECT bound_to_every()));

-- Assigns number and hash under a row lock that lasts to the end of the transaction, whatever a statement inserts. jsonb has a single text form, so that it can
-- be hashed.
CREATE FUNCTION audit_link() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    head audit_chain;
BEGIN
    INSERT INTO audit_chain (chain) VALUES (coalesce(NEW.client_id, 0)) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT head FROM audit_chain WHERE chain = coalesce(NEW.client_id, 0) FOR UPDATE;
    NEW.chain := head.chain;
    NEW.seq := head.seq + 1;
    NEW.at := clock_timestamp();
    NEW.hash := sha256(head.hash || convert_to(jsonb_build_array(
        NEW.chain, NEW.seq, (extract(epoch FROM NEW.at) * 1000000)::bigint, NEW.client_id, NEW.actor_id, NEW.session_id, NEW.action, NEW.subject,
        NEW.before, NEW.after, NEW.from_address, NEW.correlation_id)::text, 'UTF8'));
    UPDATE audit_chain SET seq = NEW.seq, hash = NEW.hash WHERE chain = NEW.chain;
    RETURN NEW;
END
$$;
-- Temporary tables come last in the search path, so that they cannot replace the chains.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION audit_link() SET search_path = %I, pg_temp', current_schema);
END
$$;
CREATE TRIGGER audit_link BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION audit_link();

CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is only added to' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
