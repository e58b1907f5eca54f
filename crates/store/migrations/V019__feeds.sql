-- Feeders that lead to another substation of the same utility: whom that substation supplies must not be counted at the feeder as well.
CREATE TABLE feeds (
    asset_id    bigint PRIMARY KEY,
    client_id   bigint NOT NULL,
    location_id bigint NOT NULL,
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id),
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id)
);
CREATE INDEX feeds_of_client ON feeds (client_id);
ALTER TABLE feeds ENABLE ROW LEVEL SECURITY;
ALTER TABLE feeds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON feeds USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON feeds USING ((SELECT bound_to_every()));
GRANT SELECT ON feeds TO switchyard_tenant;
