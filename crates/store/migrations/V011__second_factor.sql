-- A second factor: codes of the time (RFC 6238) that a member's own device makes beside their password.

CREATE TABLE second_factor (
    member_id bigint      PRIMARY KEY REFERENCES member ON DELETE CASCADE,
    client_id bigint      NOT NULL REFERENCES client,
    -- Locked with a key that is not in the database, for this member alone.
    secret    bytea       NOT NULL,
    begun     timestamptz NOT NULL,
    -- NULL: shown, and not yet proven to have arrived.
    confirmed timestamptz,
    -- The step of the last code that was taken: none is taken twice, nor an earlier one.
    last_step bigint      NOT NULL DEFAULT 0
);

-- What stands in for a lost device, each once. Only hashes are kept.
CREATE TABLE recovery_code (
    hash      bytea       PRIMARY KEY CHECK (length(hash) = 32),
    member_id bigint      NOT NULL REFERENCES second_factor ON DELETE CASCADE,
    client_id bigint      NOT NULL REFERENCES client,
    used      timestamptz
);
CREATE INDEX recovery_code_member ON recovery_code (member_id);

-- A session of somebody who must have a second factor and has none yet: good for setting one up, and for nothing else.
ALTER TABLE session ADD COLUMN limited boolean NOT NULL DEFAULT false;

DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['second_factor', 'recovery_code'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (client_id = (SELECT bound_client()))', tenant_table);
        EXECUTE format('CREATE POLICY every ON %I USING ((SELECT bound_to_every()))', tenant_table);
    END LOOP;
END
$$;
