-- Identity: what people did, how guessing is slowed down, how a password is set anew, and what they tell us.

-- Switches of the utility's configuration that are otherwise for one person.
ALTER TABLE member ADD COLUMN flags jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(flags) = 'object');
-- Not before a link was used: nobody knows the password that somebody new is added with.
ALTER TABLE member ADD COLUMN has_password boolean NOT NULL DEFAULT true;
CREATE INDEX member_email ON member (lower(email));
CREATE INDEX member_of_client ON member (client_id, id);

-- SHA-256 of what the browser keeps after a sign-in, so that guessing elsewhere does not slow its person down. A new one with each
-- sign-in, of one person: a shared console keeps one for each, and what somebody copied there is soon worth nothing.
CREATE TABLE known_device (
    hash      bytea       PRIMARY KEY CHECK (length(hash) = 32),
    member_id bigint      NOT NULL REFERENCES member ON DELETE CASCADE,
    client_id bigint      NOT NULL REFERENCES client,
    last_used timestamptz NOT NULL
);
CREATE INDEX known_device_member ON known_device (member_id, last_used);
ALTER TABLE session ADD COLUMN device bytea CHECK (length(device) = 32);
-- Goes up when all sessions of a person end; a session of an earlier generation is over, however late it began.
ALTER TABLE member ADD COLUMN generation bigint NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN generation bigint NOT NULL DEFAULT 0;
CREATE INDEX session_access_until ON session (access_until);

-- Who did what. One chain a utility (0: of none), each row's hash over the one before and itself, so that a row which is changed, taken out or put in
-- later shows. No foreign keys: what is told of here may be gone.
CREATE TABLE audit_chain (
    chain bigint PRIMARY KEY,
    seq   bigint NOT NULL DEFAULT 0,
    hash  bytea  NOT NULL DEFAULT sha256('') CHECK (length(hash) = 32)
);
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

-- The database itself gives out the place and the hash, under a row lock that lasts to the end of the change which is entered: whoever inserts, the
-- chain holds. jsonb has one way only to write a value, which is what makes it good to hash.
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
-- Temporary tables come last: nobody's own stand in for the chains.
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

-- Tries of late, by the hash of whom or where they concern: names that people type may be passwords. `recent` counts within a window, `failures` delay.
CREATE TABLE throttle (
    key      bytea         PRIMARY KEY CHECK (length(key) = 32),
    recent   timestamptz[] NOT NULL DEFAULT '{}',
    failures integer       NOT NULL DEFAULT 0,
    until    timestamptz,
    stale    timestamptz   NOT NULL
);
CREATE INDEX throttle_stale ON throttle (stale);

-- Handles that stand for an e-mail address, whether anybody has it or not, and the single-use links that were mailed.
CREATE TABLE reset_handle (
    hash  bytea       PRIMARY KEY CHECK (length(hash) = 32),
    email text        NOT NULL,
    until timestamptz NOT NULL,
    used  timestamptz
);
CREATE INDEX reset_handle_until ON reset_handle (until);
CREATE TABLE password_reset (
    hash      bytea       PRIMARY KEY CHECK (length(hash) = 32),
    client_id bigint      NOT NULL REFERENCES client,
    member_id bigint      NOT NULL REFERENCES member ON DELETE CASCADE,
    until     timestamptz NOT NULL,
    used      timestamptz
);
CREATE INDEX password_reset_member ON password_reset (member_id);

-- Proof of a password checked a moment ago, for one operation: the control path consumes it in the transaction of the command.
CREATE TABLE control_ticket (
    id         bigint      GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    client_id  bigint      NOT NULL REFERENCES client,
    session_id bigint      NOT NULL REFERENCES session ON DELETE CASCADE,
    member_id  bigint      NOT NULL REFERENCES member ON DELETE CASCADE,
    asset_id   bigint, -- NULL: any one operation
    until      timestamptz NOT NULL,
    used       timestamptz,
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
CREATE UNIQUE INDEX control_ticket_open ON control_ticket (session_id) WHERE used IS NULL;

CREATE TABLE feedback (
    id        bigint      GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    client_id bigint      NOT NULL REFERENCES client,
    member_id bigint      NOT NULL REFERENCES member ON DELETE CASCADE,
    at        timestamptz NOT NULL,
    page      text        NOT NULL,
    text      text        NOT NULL
);

-- By utility as everywhere (V004); what belongs to none is for the owner alone.
DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['known_device', 'audit', 'password_reset', 'control_ticket', 'feedback'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format(
            'CREATE POLICY tenant ON %I USING (client_id = nullif(current_setting(''app.client_id'', true), '''')::bigint)', tenant_table);
    END LOOP;
END
$$;
ALTER TABLE audit_chain ENABLE ROW LEVEL SECURITY;
ALTER TABLE throttle ENABLE ROW LEVEL SECURITY;
ALTER TABLE reset_handle ENABLE ROW LEVEL SECURITY;
