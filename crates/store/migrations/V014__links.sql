-- Communication: when gateways and devices were heard and when not, and what was counted of each gateway and day. And of orders which never left.

-- Each change of a link, as ingest heard it. The row of a gateway itself has no device; one of a device is there where its gateway has told of it. A row says
-- how it is from `at` on; a second one that says the same is another connection.
CREATE TABLE link_change (
    client_id  bigint      NOT NULL REFERENCES client,
    gateway_id bigint      NOT NULL,
    device     text        NOT NULL,
    at         timestamptz NOT NULL,
    online     boolean     NOT NULL,
    PRIMARY KEY (gateway_id, device, at),
    FOREIGN KEY (client_id, gateway_id) REFERENCES gateway (client_id, id)
);
-- For forgetting what is older than anybody asks for.
CREATE INDEX link_change_at ON link_change (at);

-- What was counted, by the day in the utility's zone on which it was received. A crash of ingest takes what was counted in its last ten seconds.
CREATE TABLE gateway_day (
    client_id    bigint      NOT NULL REFERENCES client,
    gateway_id   bigint      NOT NULL,
    day          date        NOT NULL,
    -- Values that were taken, and those of them that came more than a minute after their time.
    taken        bigint      NOT NULL CHECK (taken >= 0),
    late         bigint      NOT NULL CHECK (late >= 0),
    -- Messages whose numbers never came.
    missing      bigint      NOT NULL CHECK (missing >= 0),
    -- How far its clock was ahead of ours at the worst of the day, ms; behind is negative. NULL: it has sent no times of its own.
    skew_ms      bigint,
    last_message timestamptz,
    PRIMARY KEY (gateway_id, day),
    FOREIGN KEY (client_id, gateway_id) REFERENCES gateway (client_id, id)
);

-- The day of an instant in a utility's zone. A zone that the server does not know must keep nothing from being stored: then it is the day in UTC.
CREATE FUNCTION day_of(at timestamptz, zone text) RETURNS date LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (at AT TIME ZONE zone)::date;
EXCEPTION
    WHEN invalid_parameter_value THEN
        RETURN (at AT TIME ZONE 'UTC')::date;
END
$$;

-- What is known already: how each stands, and since when.
INSERT INTO link_change (client_id, gateway_id, device, at, online)
SELECT client_id, id, '', since, online FROM gateway WHERE since IS NOT NULL
UNION ALL
SELECT client_id, gateway_id, code, since, online FROM device;

DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['link_change', 'gateway_day'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (client_id = (SELECT bound_client()))', tenant_table);
        EXECUTE format('CREATE POLICY every ON %I USING ((SELECT bound_to_every()))', tenant_table);
    END LOOP;
END
$$;
GRANT SELECT ON link_change, gateway_day TO switchyard_tenant;

-- An order that was decided and never handed to the broker. It has moved nothing: what the device did within its time was not ordered.
ALTER TABLE command ADD COLUMN never_left boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION opening_ordered(point bigint, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM command c
        WHERE c.point_id = point AND c.to_status = 1 AND c.state NOT IN ('REFUSED', 'EXPIRED', 'CANCELLED') AND NOT c.never_left
          AND c.sent_at BETWEEN at - interval '30 seconds' AND at + interval '5 seconds'
    )
$$;
