-- A history that was brought along, from its newest day back: how far it has come, so that a run that was cut short goes on. Registers are kept as they stand
-- at the start of what is there, by their place in the field, so that what lies before continues them.
CREATE TABLE history_brought (
    client_id bigint      PRIMARY KEY REFERENCES client,
    until     timestamptz NOT NULL,
    done      timestamptz NOT NULL,
    registers jsonb       NOT NULL CHECK (jsonb_typeof(registers) = 'object')
);
ALTER TABLE history_brought ENABLE ROW LEVEL SECURITY;
ALTER TABLE history_brought FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON history_brought USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON history_brought USING ((SELECT bound_to_every()));
