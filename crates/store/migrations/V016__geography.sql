-- The ways of lines and feeders on the map. Where substations stand is told by their own rows (node.lat, node.lon).

CREATE TABLE geography (
    client_id        bigint  NOT NULL REFERENCES client,
    -- Its place in the utility's list.
    number           integer NOT NULL CHECK (number >= 0),
    kind             text    NOT NULL CHECK (kind IN ('line', 'feeder')),
    name             text    NOT NULL,
    kv               float8,
    -- The substation that a feeder belongs to, or where a line begins; NULL for a line that comes from outside.
    location_id      bigint,
    to_location_id   bigint,
    asset_id         bigint,
    -- [[longitude, latitude], …], at least two.
    path             jsonb   NOT NULL CHECK (jsonb_array_length(path) >= 2),
    PRIMARY KEY (client_id, number),
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id),
    FOREIGN KEY (client_id, to_location_id) REFERENCES node (client_id, id),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id),
    CHECK (kind <> 'feeder' OR (location_id IS NOT NULL AND asset_id IS NOT NULL AND to_location_id IS NULL))
);

ALTER TABLE geography ENABLE ROW LEVEL SECURITY;
ALTER TABLE geography FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON geography USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON geography USING ((SELECT bound_to_every()));
GRANT SELECT ON geography TO switchyard_tenant;
