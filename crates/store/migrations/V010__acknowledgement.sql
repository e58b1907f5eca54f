-- Changes of status points flash on diagrams until somebody acknowledges them: up to which place in the event stream that has been done, point by point.
CREATE TABLE acknowledgement (
    point_id  bigint      PRIMARY KEY,
    client_id bigint      NOT NULL,
    through   bigint      NOT NULL CHECK (through >= 0),
    -- Nobody for what was there before acknowledgements were. A super user is of another utility.
    member_id bigint      REFERENCES member,
    at        timestamptz NOT NULL,
    FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id)
);
ALTER TABLE acknowledgement ENABLE ROW LEVEL SECURITY;
ALTER TABLE acknowledgement FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON acknowledgement USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON acknowledgement USING ((SELECT bound_to_every()));

-- What a point has done since its acknowledgement is looked up by this.
CREATE INDEX event_of_point_offset ON event (point_id, "offset");

-- What lies before this release is history.
INSERT INTO acknowledgement (point_id, client_id, through, at)
SELECT point_id, client_id, max("offset"), now() FROM event GROUP BY point_id, client_id;

-- Whether we had ordered a point to the open position about then. The order leaves before the breaker moves; the two clocks differ.
-- One that the gateway refused has moved nothing. Looks for the table of
-- commands when it is asked, so that diagrams work where there is none.
CREATE FUNCTION opening_ordered(point bigint, at timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF to_regclass('command') IS NULL THEN
        RETURN false;
    END IF;
    RETURN EXISTS (
        SELECT FROM command c
        WHERE c.point_id = point AND c.to_status = 1 AND c.state NOT IN ('REFUSED', 'EXPIRED', 'CANCELLED') AND c.sent_at BETWEEN at - interval '30 seconds' AND at + interval '5 seconds'
    );
END
$$;
