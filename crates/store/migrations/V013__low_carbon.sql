-- Low-carbon sites: demand, solar panels and batteries. Names follow specification 3, section 2.2.

CREATE TABLE low_carbon_site (
    client_id             bigint   NOT NULL REFERENCES client,
    device_id             bigint   NOT NULL CHECK (device_id > 0),
    location_id           bigint   NOT NULL,
    name                  text     NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
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
    currency              text     NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    import_price          float8[] NOT NULL CHECK (cardinality(import_price) = 48),
    export_price          float8[] CHECK (cardinality(export_price) = 48),
    may_export            boolean  NOT NULL CHECK (NOT may_export OR export_price IS NOT NULL),
    charge_efficiency     float8   NOT NULL,
    discharge_efficiency  float8   NOT NULL,
    initial_kwh           float8,
    import_limit_kw       float8,
    ends_as_it_began      boolean  NOT NULL,
    performance           float8   NOT NULL CHECK (performance BETWEEN 0 AND 1),
    solar_profile         float8[] CHECK (cardinality(solar_profile) = 48),
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
COMMENT ON TABLE low_carbon_site IS 'Sites with a demand and optional solar panels and battery. Half hours of a day are numbered 0 to 48.';
COMMENT ON COLUMN low_carbon_site.client_id IS 'The utility.';
COMMENT ON COLUMN low_carbon_site.device_id IS 'The deviceId of the specification, chosen by the utility.';
COMMENT ON COLUMN low_carbon_site.location_id IS 'The substation.';
COMMENT ON COLUMN low_carbon_site.name IS 'Name for display.';
COMMENT ON COLUMN low_carbon_site.lat IS 'Latitude, degrees north; NULL if not known.';
COMMENT ON COLUMN low_carbon_site.lon IS 'Longitude, degrees east; NULL if not known.';
COMMENT ON COLUMN low_carbon_site.capacity_max_kwh IS 'Largest energy in the battery, kWh.';
COMMENT ON COLUMN low_carbon_site.capacity_min_kwh IS 'Energy that must remain in the battery, kWh.';
COMMENT ON COLUMN low_carbon_site.charge_rate_kw IS 'Largest charging power, kW.';
COMMENT ON COLUMN low_carbon_site.discharge_rate_kw IS 'Largest discharging power, kW.';
COMMENT ON COLUMN low_carbon_site.charging_start IS 'First half hour in which the battery may charge.';
COMMENT ON COLUMN low_carbon_site.charging_end IS 'End of charging, exclusive.';
COMMENT ON COLUMN low_carbon_site.discharging_start IS 'First half hour in which the battery may discharge.';
COMMENT ON COLUMN low_carbon_site.discharging_end IS 'End of discharging, exclusive.';
COMMENT ON COLUMN low_carbon_site.solar_kwp IS 'Rated power of the panels, kWp.';
COMMENT ON COLUMN low_carbon_site.objective IS 'cost_with_solar or cost_without_solar.';
COMMENT ON COLUMN low_carbon_site.currency IS 'Currency of the prices, ISO 4217.';
COMMENT ON COLUMN low_carbon_site.import_price IS 'Price of bought energy for each of 48 half hours, per kWh.';
COMMENT ON COLUMN low_carbon_site.export_price IS 'Price of sold energy for each of 48 half hours, per kWh; NULL if nothing is sold.';
COMMENT ON COLUMN low_carbon_site.may_export IS 'Whether the site may feed into the grid.';
COMMENT ON COLUMN low_carbon_site.charge_efficiency IS 'Efficiency of charging, 0 to 1.';
COMMENT ON COLUMN low_carbon_site.discharge_efficiency IS 'Efficiency of discharging, 0 to 1.';
COMMENT ON COLUMN low_carbon_site.initial_kwh IS 'Energy in the battery at the start of the day, kWh; NULL for capacity_min_kwh.';
COMMENT ON COLUMN low_carbon_site.import_limit_kw IS 'Largest power from the grid, kW; NULL for no limit.';
COMMENT ON COLUMN low_carbon_site.ends_as_it_began IS 'Whether the battery must end the day with its initial energy.';
COMMENT ON COLUMN low_carbon_site.performance IS 'Output of the panels relative to a clear sky, 0 to 1.';
COMMENT ON COLUMN low_carbon_site.solar_profile IS 'Output of the panels for each of 48 half hours, kW; NULL to compute it from a clear sky.';
COMMENT ON COLUMN low_carbon_site.site_point_id IS 'Point of the site''s demand; NULL if not measured.';
COMMENT ON COLUMN low_carbon_site.solar_point_id IS 'Point of the panels'' power; NULL if not measured.';
COMMENT ON COLUMN low_carbon_site.battery_point_id IS 'Point of the battery''s power, positive while charging; NULL if not measured.';
COMMENT ON COLUMN low_carbon_site.grid_point_id IS 'Point of the power from the grid, positive while importing; NULL if not measured.';
COMMENT ON COLUMN low_carbon_site.storage_point_id IS 'Point of the energy in the battery; NULL if not measured.';
COMMENT ON INDEX low_carbon_site_pkey IS 'The sites of a utility (site/put).';
ALTER TABLE low_carbon_site ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON low_carbon_site USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON low_carbon_site USING ((SELECT bound_to_every()));
GRANT SELECT ON low_carbon_site TO switchyard_tenant;

-- A file belongs to one user, so the role that only reads has no right on this table.
CREATE TABLE demand_file (
    handle_hash bytea       PRIMARY KEY CHECK (octet_length(handle_hash) = 32),
    client_id   bigint      NOT NULL,
    device_id   bigint      NOT NULL,
    member_id   bigint      NOT NULL REFERENCES member ON DELETE CASCADE,
    kw          float8[]    NOT NULL CHECK (cardinality(kw) = 48),
    lat         float8,
    lon         float8,
    created     timestamptz NOT NULL,
    expires     timestamptz NOT NULL,
    CHECK ((lat IS NULL) = (lon IS NULL)),
    FOREIGN KEY (client_id, device_id) REFERENCES low_carbon_site ON DELETE CASCADE
);
COMMENT ON TABLE demand_file IS 'Uploaded demand files of a site, for one day. Only the hash of a handle is stored.';
COMMENT ON COLUMN demand_file.handle_hash IS 'SHA-256 of the handle.';
COMMENT ON COLUMN demand_file.client_id IS 'The utility.';
COMMENT ON COLUMN demand_file.device_id IS 'The site.';
COMMENT ON COLUMN demand_file.member_id IS 'The user who uploaded it.';
COMMENT ON COLUMN demand_file.kw IS 'Demand for each of 48 half hours, kW.';
COMMENT ON COLUMN demand_file.lat IS 'Latitude in the file, degrees north; NULL if it has none.';
COMMENT ON COLUMN demand_file.lon IS 'Longitude in the file, degrees east; NULL if it has none.';
COMMENT ON COLUMN demand_file.created IS 'Time of the upload.';
COMMENT ON COLUMN demand_file.expires IS 'Time at which it is deleted.';
COMMENT ON INDEX demand_file_pkey IS 'Identity of a file.';
CREATE INDEX demand_file_of_member ON demand_file (client_id, member_id, created);
COMMENT ON INDEX demand_file_of_member IS 'Files of a user, newest first (demand_file/get, demand_file/trim).';
CREATE INDEX demand_file_expires ON demand_file (expires);
COMMENT ON INDEX demand_file_expires IS 'Deletes expired files (demand_file_work/expire).';
ALTER TABLE demand_file ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON demand_file USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON demand_file USING ((SELECT bound_to_every()));
