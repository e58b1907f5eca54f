-- Sites with a demand, and perhaps solar panels and a battery (specification 3, section 2.2). The number is the specification's deviceId: a utility's own.
-- Parameters have the specification's names in snake case; half hours of a day are 0 to 48.
CREATE TABLE low_carbon_site (
    client_id             bigint   NOT NULL REFERENCES client,
    device_id             bigint   NOT NULL CHECK (device_id > 0),
    location_id           bigint   NOT NULL,
    name                  text     NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- Degrees; NULL where nobody has said where the site is.
    lat                   float8   CHECK (lat BETWEEN -90 AND 90),
    lon                   float8   CHECK (lon BETWEEN -180 AND 180),
    capacity_max_kwh      float8   NOT NULL,
    capacity_min_kwh      float8   NOT NULL,
    charge_rate_kw        float8   NOT NULL,
    discharge_rate_kw     float8   NOT NULL,
    charging_start        integer  NOT NULL CHECK (charging_start BETWEEN 0 AND 48),
    charging_end          integer  NOT NULL CHECK (charging_end BETWEEN 0 AND 48),
    discharging_start     integer  NOT NULL CHECK (discharging_start BETWEEN 0 AND 48),
    discharging_end       integer  NOT NULL CHECK (discharging_end BETWEEN 0 AND 48),
    solar_kwp             float8   NOT NULL,
    objective             text     NOT NULL CHECK (objective IN ('cost_with_solar', 'cost_without_solar')),
    -- ISO 4217; prices are of a kWh.
    currency              text     NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    import_price          float8[] NOT NULL CHECK (cardinality(import_price) = 48),
    export_price          float8[] CHECK (cardinality(export_price) = 48),
    may_export            boolean  NOT NULL CHECK (NOT may_export OR export_price IS NOT NULL),
    charge_efficiency     float8   NOT NULL,
    discharge_efficiency  float8   NOT NULL,
    -- NULL: what has to stay in the battery.
    initial_kwh           float8,
    -- NULL: nothing limits it.
    import_limit_kw       float8,
    ends_as_it_began      boolean  NOT NULL,
    -- Of what the panels could give under a clear sky so much comes out.
    performance           float8   NOT NULL CHECK (performance BETWEEN 0 AND 1),
    -- kW, in the place of the clear sky.
    solar_profile         float8[] CHECK (cardinality(solar_profile) = 48),
    -- What measures the site, its panels, its battery (above 0 it charges), the grid (above 0 the site draws) and what the battery holds.
    site_point_id         bigint,
    solar_point_id        bigint,
    battery_point_id      bigint,
    grid_point_id         bigint,
    storage_point_id      bigint,
    PRIMARY KEY (client_id, device_id),
    CHECK ((lat IS NULL) = (lon IS NULL)),
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id),
    FOREIGN KEY (client_id, site_point_id) REFERENCES point (client_id, id),
    FOREIGN KEY (client_id, solar_point_id) REFERENCES point (client_id, id),
    FOREIGN KEY (client_id, battery_point_id) REFERENCES point (client_id, id),
    FOREIGN KEY (client_id, grid_point_id) REFERENCES point (client_id, id),
    FOREIGN KEY (client_id, storage_point_id) REFERENCES point (client_id, id)
);

-- Demand files that somebody has chosen for a site: what was read of them, for a day. Only the hash of a handle is kept.
CREATE TABLE demand_file (
    handle_hash bytea       PRIMARY KEY CHECK (octet_length(handle_hash) = 32),
    client_id   bigint      NOT NULL,
    device_id   bigint      NOT NULL,
    member_id   bigint      NOT NULL REFERENCES member ON DELETE CASCADE,
    kw          float8[]    NOT NULL CHECK (cardinality(kw) = 48),
    -- The place that came with it.
    lat         float8,
    lon         float8,
    created     timestamptz NOT NULL,
    expires     timestamptz NOT NULL,
    CHECK ((lat IS NULL) = (lon IS NULL)),
    FOREIGN KEY (client_id, device_id) REFERENCES low_carbon_site ON DELETE CASCADE
);
CREATE INDEX demand_file_of_member ON demand_file (client_id, member_id, created);
CREATE INDEX demand_file_of_site ON demand_file (client_id, device_id);
CREATE INDEX demand_file_expires ON demand_file (expires);

DO $$
DECLARE
    tenant_table text;
BEGIN
    FOREACH tenant_table IN ARRAY ARRAY['low_carbon_site', 'demand_file'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
        EXECUTE format('CREATE POLICY tenant ON %I USING (client_id = (SELECT bound_client()))', tenant_table);
        EXECUTE format('CREATE POLICY every ON %I USING ((SELECT bound_to_every()))', tenant_table);
    END LOOP;
END $$;
GRANT SELECT ON low_carbon_site TO switchyard_tenant;
-- Whose file it is is part of the question: the role that only reads does not see these.
