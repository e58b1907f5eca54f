-- Control: what was ordered, what became of it, who holds which device meanwhile, and the tags that people hang on devices.

-- Bound to a direction, as far as the person said one: the position that may be ordered with it.
ALTER TABLE control_ticket ADD COLUMN direction smallint CHECK (direction IN (1, 2));

-- A command as it stands. How it came there is told by command_event. `member_id` and `session_id` refer to nothing: a super user is of another utility, and
-- sessions are forgotten. `owner` is the api that moved it last, so that another one can tell when nobody minds it any more.
CREATE TABLE command (
    id             text        PRIMARY KEY CHECK (length(id) = 36),
    client_id      bigint      NOT NULL REFERENCES client,
    location_id    bigint      NOT NULL,
    asset_id       bigint      NOT NULL,
    point_id       bigint      NOT NULL,
    gateway_id     bigint      NOT NULL,
    session_id     bigint      NOT NULL,
    member_id      bigint      NOT NULL,
    operator       text        NOT NULL,
    mode           text        NOT NULL CHECK (mode IN ('select', 'direct')),
    from_status    smallint    NOT NULL,
    to_status      smallint    NOT NULL,
    reason         text        NOT NULL DEFAULT '',
    simulated      boolean     NOT NULL,
    from_address   text        NOT NULL,
    correlation_id text        NOT NULL,
    state          text        NOT NULL CHECK (state IN ('REQUESTED', 'SELECTING', 'SELECTED', 'SENT', 'ACCEPTED', 'DONE', 'NO_FEEDBACK',
                                                         'REFUSED', 'EXPIRED', 'CANCELLED', 'UNKNOWN')),
    requested_at   timestamptz NOT NULL,
    changed_at     timestamptz NOT NULL,
    -- When its newest order left, and when the order to operate did.
    issued         timestamptz NOT NULL,
    sent_at        timestamptz,
    -- The device has been seen on its way.
    moving         boolean     NOT NULL DEFAULT false,
    -- When the state ends by itself. What people are shown are the two below: the first says how long a selection is believed to hold.
    due            timestamptz NOT NULL,
    select_until   timestamptz,
    deadline       timestamptz,
    add_cause      smallint    CHECK (add_cause >= 0),
    message        text        NOT NULL DEFAULT '',
    "offset"       bigint      NOT NULL,
    owner          text        NOT NULL,
    UNIQUE (client_id, id),
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id),
    FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id),
    FOREIGN KEY (client_id, gateway_id) REFERENCES gateway (client_id, id)
);
CREATE INDEX command_of_location ON command (location_id, requested_at);
CREATE INDEX command_of_point ON command (point_id, requested_at);
-- Few at a time, however many there were.
CREATE INDEX command_open ON command (client_id) WHERE state IN ('REQUESTED', 'SELECTING', 'SELECTED', 'SENT', 'ACCEPTED');

-- Each state of each command, in the order of commit within the utility (`stream`, kind 'command'), as events have it.
CREATE TABLE command_event (
    client_id    bigint      NOT NULL,
    "offset"     bigint      NOT NULL,
    command_id   text        NOT NULL,
    location_id  bigint      NOT NULL,
    state        text        NOT NULL,
    at           timestamptz NOT NULL,
    select_until timestamptz,
    deadline     timestamptz,
    add_cause    smallint,
    message      text        NOT NULL,
    PRIMARY KEY (client_id, "offset"),
    FOREIGN KEY (client_id, command_id) REFERENCES command (client_id, id)
);
CREATE INDEX command_event_of_location ON command_event (location_id, "offset");
CREATE INDEX command_event_of_command ON command_event (command_id);

CREATE FUNCTION command_event_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what became of commands is only added to' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER command_event_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON command_event
    FOR EACH STATEMENT EXECUTE FUNCTION command_event_refuse();

-- Who has a device for the length of a command. One at a time, whatever a statement gets wrong.
CREATE TABLE reservation (
    command_id  text        PRIMARY KEY,
    client_id   bigint      NOT NULL,
    point_id    bigint      NOT NULL,
    location_id bigint      NOT NULL,
    session_id  bigint      NOT NULL,
    member_id   bigint      NOT NULL,
    holder      text        NOT NULL,
    until       timestamptz NOT NULL,
    released    timestamptz,
    FOREIGN KEY (client_id, command_id) REFERENCES command (client_id, id),
    FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id)
);
CREATE UNIQUE INDEX reservation_active ON reservation (point_id) WHERE released IS NULL;
CREATE INDEX reservation_of_location ON reservation (location_id) WHERE released IS NULL;

-- Requests by the SHA-256 of who made them and of their key: the same one again gets the first answer and never runs twice. Of a day ago they are forgotten.
CREATE TABLE control_request (
    client_id  bigint      NOT NULL REFERENCES client,
    key        bytea       NOT NULL CHECK (length(key) = 32),
    command_id text        NOT NULL,
    action     text        NOT NULL,
    -- What a refusal said; NULL for a request that was taken.
    refusal    jsonb,
    at         timestamptz NOT NULL,
    PRIMARY KEY (client_id, key),
    FOREIGN KEY (client_id, command_id) REFERENCES command (client_id, id)
);
CREATE INDEX control_request_at ON control_request (at);

-- Apis that mind commands, by when they were last there. They belong to no utility.
CREATE TABLE control_service (
    id   text        PRIMARY KEY,
    seen timestamptz NOT NULL
);

-- Cautions and inhibits. A row stays when its tag is taken off.
CREATE TABLE tag (
    id             bigint      GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    client_id      bigint      NOT NULL REFERENCES client,
    location_id    bigint      NOT NULL,
    asset_id       bigint      NOT NULL,
    kind           text        NOT NULL CHECK (kind IN ('caution', 'inhibit')),
    holder         text        NOT NULL,
    holder_id      bigint      NOT NULL,
    reason         text        NOT NULL,
    placed_at      timestamptz NOT NULL,
    expires_at     timestamptz,
    removed_at     timestamptz,
    removed_by     bigint,
    removed_reason text,
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
CREATE INDEX tag_of_location ON tag (location_id) WHERE removed_at IS NULL;
CREATE INDEX tag_of_asset ON tag (asset_id) WHERE removed_at IS NULL;

-- By utility, for everybody (V008).
DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['command', 'command_event', 'reservation', 'control_request', 'tag'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (client_id = (SELECT bound_client()))', tenant_table);
        EXECUTE format('CREATE POLICY every ON %I USING ((SELECT bound_to_every()))', tenant_table);
    END LOOP;
END
$$;
ALTER TABLE control_service ENABLE ROW LEVEL SECURITY;
ALTER TABLE control_service FORCE ROW LEVEL SECURITY;
CREATE POLICY every ON control_service USING ((SELECT bound_to_every()));
GRANT SELECT ON command, command_event, reservation, tag TO switchyard_tenant;
