-- What the overcurrent relays of feeders are set to: one row an element, by the numbers of IEEE C37.2. Primary amperes, seconds.
CREATE TABLE relay_setting (
    client_id bigint NOT NULL,
    asset_id  bigint NOT NULL,
    element   text   NOT NULL CHECK (element IN ('51', '50', '51N', '50N')),
    pickup_a  float8 NOT NULL CHECK (pickup_a >= 1 AND pickup_a <= 100000),
    curve     text   NOT NULL,
    -- Of inverse curves.
    tms       float8 CHECK (tms >= 0.01 AND tms <= 15),
    -- Of definite times.
    time_s    float8 CHECK (time_s >= 0 AND time_s <= 600),
    PRIMARY KEY (asset_id, element),
    CHECK ((curve = 'definite_time') = (time_s IS NOT NULL)),
    CHECK ((curve = 'definite_time') = (tms IS NULL)),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
CREATE INDEX relay_setting_of_client ON relay_setting (client_id);
ALTER TABLE relay_setting ENABLE ROW LEVEL SECURITY;
ALTER TABLE relay_setting FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON relay_setting USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON relay_setting USING ((SELECT bound_to_every()));
GRANT SELECT ON relay_setting TO switchyard_tenant;
