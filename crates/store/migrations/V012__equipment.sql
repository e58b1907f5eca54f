-- Equipment: ratings of transformers, relay settings, forecasts of load, cable sections and the condition of plant.

CREATE TABLE rating (
    asset_id          bigint  PRIMARY KEY,
    client_id         bigint  NOT NULL,
    rated_mva         float8  NOT NULL CHECK (rated_mva > 0 AND rated_mva < 10000),
    cooling           text    NOT NULL DEFAULT 'onan' CHECK (cooling IN ('onan', 'onaf', 'distribution')),
    paper             text    NOT NULL DEFAULT 'normal' CHECK (paper IN ('normal', 'upgraded')),
    regime            text    NOT NULL DEFAULT 'normal_cyclic' CHECK (regime IN ('normal_cyclic', 'long_emergency', 'short_emergency')),
    loss_ratio        float8  CHECK (loss_ratio > 0 AND loss_ratio < 10000),
    oil_rise_k        float8  CHECK (oil_rise_k > 0 AND oil_rise_k < 200),
    gradient_k        float8  CHECK (gradient_k > 0 AND gradient_k < 200),
    oil_exponent      float8  CHECK (oil_exponent > 0 AND oil_exponent < 5),
    winding_exponent  float8  CHECK (winding_exponent > 0 AND winding_exponent < 5),
    oil_minutes       float8  CHECK (oil_minutes > 0 AND oil_minutes < 10000),
    winding_minutes   float8  CHECK (winding_minutes > 0 AND winding_minutes < 10000),
    k11               float8  CHECK (k11 > 0 AND k11 < 20),
    k21               float8  CHECK (k21 >= 1 AND k21 < 20),
    k22               float8  CHECK (k22 > 0 AND k22 < 20),
    oil_alarm_c       float8,
    oil_trip_c        float8,
    winding_alarm_c   float8,
    winding_trip_c    float8,
    used_life_years   float8  NOT NULL DEFAULT 0 CHECK (used_life_years >= 0 AND used_life_years < 1000),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
COMMENT ON TABLE rating IS 'Ratings and thermal parameters of transformers (IEC 60076-7).';
COMMENT ON COLUMN rating.asset_id IS 'The transformer.';
COMMENT ON COLUMN rating.client_id IS 'The utility.';
COMMENT ON COLUMN rating.rated_mva IS 'Rated power of the cooling stage in service, MVA.';
COMMENT ON COLUMN rating.cooling IS 'onan, onaf or distribution.';
COMMENT ON COLUMN rating.paper IS 'Insulation paper: normal or upgraded (thermally).';
COMMENT ON COLUMN rating.regime IS 'Permitted overload: normal_cyclic, long_emergency or short_emergency.';
COMMENT ON COLUMN rating.loss_ratio IS 'Ratio of load losses to no-load losses at rated current; NULL for the default of the cooling.';
COMMENT ON COLUMN rating.oil_rise_k IS 'Top-oil temperature rise at rated load, K; NULL for the default.';
COMMENT ON COLUMN rating.gradient_k IS 'Hot-spot to top-oil gradient at rated load, K; NULL for the default.';
COMMENT ON COLUMN rating.oil_exponent IS 'Oil exponent x; NULL for the default.';
COMMENT ON COLUMN rating.winding_exponent IS 'Winding exponent y; NULL for the default.';
COMMENT ON COLUMN rating.oil_minutes IS 'Oil time constant, minutes; NULL for the default.';
COMMENT ON COLUMN rating.winding_minutes IS 'Winding time constant, minutes; NULL for the default.';
COMMENT ON COLUMN rating.k11 IS 'Thermal constant k11; NULL for the default.';
COMMENT ON COLUMN rating.k21 IS 'Thermal constant k21; NULL for the default.';
COMMENT ON COLUMN rating.k22 IS 'Thermal constant k22; NULL for the default.';
COMMENT ON COLUMN rating.oil_alarm_c IS 'Alarm limit of the oil temperature indicator, °C; NULL for none.';
COMMENT ON COLUMN rating.oil_trip_c IS 'Trip limit of the oil temperature indicator, °C; NULL for none.';
COMMENT ON COLUMN rating.winding_alarm_c IS 'Alarm limit of the winding temperature indicator, °C; NULL for none.';
COMMENT ON COLUMN rating.winding_trip_c IS 'Trip limit of the winding temperature indicator, °C; NULL for none.';
COMMENT ON COLUMN rating.used_life_years IS 'Life used before the first stored value, years at the reference temperature.';
COMMENT ON INDEX rating_pkey IS 'The rating of a transformer (rating/put, seed/put_ratings).';
ALTER TABLE rating ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON rating USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON rating USING ((SELECT bound_to_every()));
GRANT SELECT ON rating TO switchyard_tenant;

-- The thermal state of years is not read again for each chart. Values are accepted for seven days, so what lies further back is final.
CREATE TABLE used_life (
    asset_id    bigint      NOT NULL,
    until       timestamptz NOT NULL,
    client_id   bigint      NOT NULL,
    years       float8      NOT NULL CHECK (years >= 0),
    missing_ms  bigint      NOT NULL CHECK (missing_ms >= 0),
    rate        float8,
    valid_until timestamptz,
    basis       text        NOT NULL,
    PRIMARY KEY (asset_id, until),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
COMMENT ON TABLE used_life IS 'Accumulated life consumption of transformers, at each midnight (UTC). It outlives the temperatures that it was computed from.';
COMMENT ON COLUMN used_life.asset_id IS 'The transformer.';
COMMENT ON COLUMN used_life.until IS 'Time up to which it is accumulated.';
COMMENT ON COLUMN used_life.client_id IS 'The utility.';
COMMENT ON COLUMN used_life.years IS 'Life used since the first stored value, years at the reference temperature; without rating.used_life_years.';
COMMENT ON COLUMN used_life.missing_ms IS 'Time without known temperature since the first stored value, ms.';
COMMENT ON COLUMN used_life.rate IS 'Ageing rate of the latest temperature; NULL if there was none.';
COMMENT ON COLUMN used_life.valid_until IS 'End of the validity of that temperature; NULL as rate.';
COMMENT ON COLUMN used_life.basis IS 'The rating that it was computed with. After a change of the rating it is computed again, as far as temperatures are kept.';
COMMENT ON INDEX used_life_pkey IS 'The state of a transformer before a time (used_life/before, used_life/put).';
ALTER TABLE used_life ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON used_life USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON used_life USING ((SELECT bound_to_every()));
GRANT SELECT ON used_life TO switchyard_tenant;

CREATE TABLE relay_setting (
    client_id bigint NOT NULL,
    asset_id  bigint NOT NULL,
    element   text   NOT NULL CHECK (element IN ('51', '50', '51N', '50N')),
    pickup_a  float8 NOT NULL CHECK (pickup_a >= 1 AND pickup_a <= 100000),
    curve     text   NOT NULL,
    tms       float8 CHECK (tms >= 0.01 AND tms <= 15),
    time_s    float8 CHECK (time_s >= 0 AND time_s <= 600),
    PRIMARY KEY (asset_id, element),
    CHECK ((curve = 'definite_time') = (time_s IS NOT NULL)),
    CHECK ((curve = 'definite_time') = (tms IS NULL)),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
COMMENT ON TABLE relay_setting IS 'Settings of overcurrent relays of feeders, one row for each element.';
COMMENT ON COLUMN relay_setting.client_id IS 'The utility.';
COMMENT ON COLUMN relay_setting.asset_id IS 'The feeder.';
COMMENT ON COLUMN relay_setting.element IS 'Function number of IEEE C37.2: 51 (inverse time), 50 (instantaneous), 51N and 50N (earth fault).';
COMMENT ON COLUMN relay_setting.pickup_a IS 'Pickup current on the primary side, A.';
COMMENT ON COLUMN relay_setting.curve IS 'Name of the curve; definite_time for a fixed time.';
COMMENT ON COLUMN relay_setting.tms IS 'Time multiplier of inverse curves; NULL for definite_time.';
COMMENT ON COLUMN relay_setting.time_s IS 'Operating time of definite_time, s; NULL for other curves.';
COMMENT ON INDEX relay_setting_pkey IS 'The settings of a feeder (relay/clear, relay/of_asset, relay/put).';
ALTER TABLE relay_setting ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON relay_setting USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON relay_setting USING ((SELECT bound_to_every()));
GRANT SELECT ON relay_setting TO switchyard_tenant;

CREATE TABLE forecast (
    client_id bigint      NOT NULL,
    asset_id  bigint      NOT NULL,
    measure   text        NOT NULL CHECK (measure IN ('demand', 'current')),
    issued    timestamptz NOT NULL,
    method    text        NOT NULL,
    backcast  boolean     NOT NULL,
    made      timestamptz NOT NULL DEFAULT now(),
    value     real[]      NOT NULL CHECK (cardinality(value) BETWEEN 1 AND 168),
    q10       real[]      NOT NULL CHECK (cardinality(q10) = cardinality(value)),
    q90       real[]      NOT NULL CHECK (cardinality(q90) = cardinality(value)),
    PRIMARY KEY (asset_id, measure, issued),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
COMMENT ON TABLE forecast IS 'Issued load forecasts. They are never changed.';
COMMENT ON COLUMN forecast.client_id IS 'The utility.';
COMMENT ON COLUMN forecast.asset_id IS 'The asset.';
COMMENT ON COLUMN forecast.measure IS 'demand (MW) or current (A).';
COMMENT ON COLUMN forecast.issued IS 'Start of the first forecast hour. Only values before it were used.';
COMMENT ON COLUMN forecast.method IS 'Name of the method.';
COMMENT ON COLUMN forecast.backcast IS 'Whether it was computed afterwards, from the values before issued, some of which can have arrived late.';
COMMENT ON COLUMN forecast.made IS 'Time of the computation.';
COMMENT ON COLUMN forecast.value IS 'One value for each hour, up to 168, MW or A; NULL entries are not known.';
COMMENT ON COLUMN forecast.q10 IS 'Lower bound of the band for each hour.';
COMMENT ON COLUMN forecast.q90 IS 'Upper bound of the band for each hour.';
COMMENT ON INDEX forecast_pkey IS 'Forecasts of an asset that were issued in a period (forecast/newest, forecast_work/put).';
CREATE INDEX forecast_issued ON forecast (issued);
COMMENT ON INDEX forecast_issued IS 'Deletes old forecasts; forecasts that were issued for an hour (forecast_work/expire, forecast_work/issued).';
ALTER TABLE forecast ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON forecast USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON forecast USING ((SELECT bound_to_every()));
GRANT SELECT ON forecast TO switchyard_tenant;

CREATE TABLE cable_section (
    id                 bigint  GENERATED BY DEFAULT AS IDENTITY,
    client_id          bigint  NOT NULL,
    code               text    NOT NULL,
    location_id        bigint  NOT NULL,
    asset_id           bigint  NOT NULL,
    cable              text    NOT NULL,
    section            text    NOT NULL,
    kv                 float8  NOT NULL CHECK (kv > 0 AND kv <= 1000),
    insulation         text    CHECK (insulation IN ('non_pressurised', 'oil', 'gas')),
    sheath             text    CHECK (sheath IN ('aluminium', 'lead')),
    conductor          text    CHECK (conductor IN ('aluminium', 'copper')),
    installed          integer NOT NULL CHECK (installed BETWEEN 1850 AND 2200),
    removed            integer CHECK (removed BETWEEN installed AND 2200),
    length_km          float8  NOT NULL CHECK (length_km > 0 AND length_km <= 1000),
    faults_since       integer CHECK (faults_since BETWEEN 1850 AND 2200),
    load_mva           float8  CHECK (load_mva >= 0 AND load_mva <= 10000),
    secure             boolean NOT NULL,
    financial          float8  NOT NULL CHECK (financial >= 0 AND financial <= 100),
    safety             float8  NOT NULL CHECK (safety >= 0 AND safety <= 100),
    environmental      float8  NOT NULL CHECK (environmental >= 0 AND environmental <= 100),
    consumers          integer CHECK (consumers >= 0),
    cable_consumers    integer CHECK (cable_consumers >= 0),
    line               jsonb   CHECK (jsonb_array_length(line) BETWEEN 2 AND 200),
    withdrawn          date    CHECK (extract(year FROM withdrawn) BETWEEN installed AND 2200),
    UNIQUE (client_id, code),
    PRIMARY KEY (id, client_id),
    FOREIGN KEY (client_id, location_id) REFERENCES node (client_id, id),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
COMMENT ON TABLE cable_section IS 'Sections of cables.';
COMMENT ON COLUMN cable_section.id IS 'Generated number.';
COMMENT ON COLUMN cable_section.client_id IS 'The utility.';
COMMENT ON COLUMN cable_section.code IS 'Identity of the section for the utility.';
COMMENT ON COLUMN cable_section.location_id IS 'The substation.';
COMMENT ON COLUMN cable_section.asset_id IS 'The feeder or line that it belongs to.';
COMMENT ON COLUMN cable_section.cable IS 'Name of the cable.';
COMMENT ON COLUMN cable_section.section IS 'Name of the section within the cable.';
COMMENT ON COLUMN cable_section.kv IS 'Nominal voltage, kV.';
COMMENT ON COLUMN cable_section.insulation IS 'non_pressurised, oil or gas; NULL if not known.';
COMMENT ON COLUMN cable_section.sheath IS 'aluminium or lead; NULL if not known.';
COMMENT ON COLUMN cable_section.conductor IS 'aluminium or copper; NULL if not known.';
COMMENT ON COLUMN cable_section.installed IS 'Year of laying.';
COMMENT ON COLUMN cable_section.removed IS 'Year of removal; NULL while it is in use.';
COMMENT ON COLUMN cable_section.length_km IS 'Length, km.';
COMMENT ON COLUMN cable_section.faults_since IS 'First year from which all its faults are recorded; NULL if not known.';
COMMENT ON COLUMN cable_section.load_mva IS 'Load that depends on it, MVA; NULL if not known.';
COMMENT ON COLUMN cable_section.secure IS 'Whether supply survives its failure.';
COMMENT ON COLUMN cable_section.financial IS 'Factor of financial consequences relative to the reference.';
COMMENT ON COLUMN cable_section.safety IS 'Factor of safety consequences relative to the reference.';
COMMENT ON COLUMN cable_section.environmental IS 'Factor of environmental consequences relative to the reference.';
COMMENT ON COLUMN cable_section.consumers IS 'Consumers that depend on the section; NULL if not known.';
COMMENT ON COLUMN cable_section.cable_consumers IS 'Consumers that depend on the whole cable; NULL if not known.';
COMMENT ON COLUMN cable_section.line IS 'Path on the map, JSON array of 2 to 200 [longitude, latitude] pairs; NULL if not known.';
COMMENT ON COLUMN cable_section.withdrawn IS 'Day from which it is out of service; NULL while it is in use.';
COMMENT ON INDEX cable_section_pkey IS 'A section; target of foreign keys.';
COMMENT ON INDEX cable_section_client_id_code_key IS 'A section by its code, for imports (cable/put_sections, cable/stored_sections).';
CREATE INDEX cable_section_of_location ON cable_section (client_id, location_id);
COMMENT ON INDEX cable_section_of_location IS 'The sections of a substation (cable/crowded, cable/known, cable/sections, …).';
ALTER TABLE cable_section ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cable_section USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON cable_section USING ((SELECT bound_to_every()));
GRANT SELECT ON cable_section TO switchyard_tenant;

CREATE TABLE cable_condition (
    client_id          bigint  NOT NULL,
    section_id         bigint  NOT NULL,
    year               integer NOT NULL CHECK (year BETWEEN 1850 AND 2200),
    utilisation        float8  CHECK (utilisation >= 0 AND utilisation <= 1000),
    voltage            float8  CHECK (voltage >= 0 AND voltage <= 1000),
    sheath_test        text    NOT NULL CHECK (sheath_test IN ('unknown', 'pass', 'failed_minor', 'failed_major')),
    discharge          text    NOT NULL CHECK (discharge IN ('unknown', 'low', 'medium', 'high')),
    leakage            text    NOT NULL CHECK (leakage IN ('unknown', 'none', 'low_moderate', 'high', 'very_high')),
    reliability        float8  CHECK (reliability >= 0.6 AND reliability <= 1.5),
    PRIMARY KEY (section_id, year),
    FOREIGN KEY (client_id, section_id) REFERENCES cable_section (client_id, id)
);
COMMENT ON TABLE cable_condition IS 'Findings about cable sections, one row for each section and year. A newer row replaces an older one completely.';
COMMENT ON COLUMN cable_condition.client_id IS 'The utility.';
COMMENT ON COLUMN cable_condition.section_id IS 'The section.';
COMMENT ON COLUMN cable_condition.year IS 'Year of the findings.';
COMMENT ON COLUMN cable_condition.utilisation IS 'Largest load in normal operation relative to the rating, percent; NULL if not known.';
COMMENT ON COLUMN cable_condition.voltage IS 'Operating voltage relative to the rating, percent; NULL if not known.';
COMMENT ON COLUMN cable_condition.sheath_test IS 'unknown, pass, failed_minor or failed_major.';
COMMENT ON COLUMN cable_condition.discharge IS 'Partial discharge: unknown, low, medium or high.';
COMMENT ON COLUMN cable_condition.leakage IS 'unknown, none, low_moderate, high or very_high.';
COMMENT ON COLUMN cable_condition.reliability IS 'Reliability modifier of the make, 0.6 to 1.5; NULL leaves the earlier one.';
COMMENT ON INDEX cable_condition_pkey IS 'Findings about a section (cable/put_conditions, cable/sections, cable/stored_conditions, …).';
ALTER TABLE cable_condition ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cable_condition USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON cable_condition USING ((SELECT bound_to_every()));
GRANT SELECT ON cable_condition TO switchyard_tenant;

CREATE TABLE cable_fault (
    client_id          bigint  NOT NULL,
    code               text    NOT NULL,
    section_id         bigint  NOT NULL,
    day                date    NOT NULL,
    cause              text,
    PRIMARY KEY (client_id, code),
    FOREIGN KEY (client_id, section_id) REFERENCES cable_section (client_id, id)
);
COMMENT ON TABLE cable_fault IS 'Recorded faults of cable sections.';
COMMENT ON COLUMN cable_fault.client_id IS 'The utility.';
COMMENT ON COLUMN cable_fault.code IS 'Identity of the fault for the utility.';
COMMENT ON COLUMN cable_fault.section_id IS 'The section.';
COMMENT ON COLUMN cable_fault.day IS 'Day of the fault.';
COMMENT ON COLUMN cable_fault.cause IS 'Cause; NULL if not known.';
COMMENT ON INDEX cable_fault_pkey IS 'A fault by its code, for imports (cable/put_faults, cable/stored_faults).';
CREATE INDEX cable_fault_of_section ON cable_fault (section_id, day);
COMMENT ON INDEX cable_fault_of_section IS 'Faults of a section in a period (cable/sections, cable/years).';
ALTER TABLE cable_fault ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cable_fault USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON cable_fault USING ((SELECT bound_to_every()));
GRANT SELECT ON cable_fault TO switchyard_tenant;

CREATE TABLE plant_state (
    client_id          bigint  NOT NULL,
    asset_id           bigint  NOT NULL,
    part               text    NOT NULL CHECK (part IN ('main', 'tap_changer')),
    year               integer NOT NULL CHECK (year BETWEEN 1850 AND 2200),
    kind               text    NOT NULL CHECK (kind IN ('transformer', 'breaker')),
    kv                 float8  NOT NULL CHECK (kv > 0 AND kv <= 1000),
    made               integer NOT NULL CHECK (made BETWEEN 1850 AND 2200),
    in_primary         boolean NOT NULL,
    gas                boolean NOT NULL,
    outdoor            boolean NOT NULL,
    duty               float8  NOT NULL CHECK (duty >= 0.1 AND duty <= 10),
    location           float8  NOT NULL CHECK (location >= 0.1 AND location <= 10),
    condition_factor   float8  NOT NULL CHECK (condition_factor >= 0.1 AND condition_factor <= 10),
    condition_cap      float8  NOT NULL CHECK (condition_cap >= 0.5 AND condition_cap <= 10),
    condition_collar   float8  NOT NULL CHECK (condition_collar >= 0.5 AND condition_collar <= 10),
    reliability        float8  NOT NULL CHECK (reliability >= 0.6 AND reliability <= 1.5),
    secure             boolean NOT NULL,
    financial          float8  NOT NULL CHECK (financial >= 0 AND financial <= 100),
    safety             float8  NOT NULL CHECK (safety >= 0 AND safety <= 100),
    environmental      float8  NOT NULL CHECK (environmental >= 0 AND environmental <= 100),
    withdrawn          date    CHECK (extract(year FROM withdrawn) BETWEEN made AND 2200),
    PRIMARY KEY (asset_id, part, year),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id),
    CHECK (kind = 'transformer' OR part = 'main')
);
COMMENT ON TABLE plant_state IS 'Condition of transformers and breakers, one row for each part and year. A newer row replaces an older one completely.';
COMMENT ON COLUMN plant_state.client_id IS 'The utility.';
COMMENT ON COLUMN plant_state.asset_id IS 'The transformer or breaker.';
COMMENT ON COLUMN plant_state.part IS 'main, or tap_changer of a transformer.';
COMMENT ON COLUMN plant_state.year IS 'Year of the findings.';
COMMENT ON COLUMN plant_state.kind IS 'transformer or breaker.';
COMMENT ON COLUMN plant_state.kv IS 'Nominal voltage, kV.';
COMMENT ON COLUMN plant_state.made IS 'Year of manufacture.';
COMMENT ON COLUMN plant_state.in_primary IS 'Whether a breaker is in a primary substation.';
COMMENT ON COLUMN plant_state.gas IS 'Whether a breaker is gas-insulated.';
COMMENT ON COLUMN plant_state.outdoor IS 'Whether a breaker is outdoors.';
COMMENT ON COLUMN plant_state.duty IS 'Duty factor, 0.1 to 10.';
COMMENT ON COLUMN plant_state.location IS 'Location factor, 0.1 to 10.';
COMMENT ON COLUMN plant_state.condition_factor IS 'Condition factor, 0.1 to 10.';
COMMENT ON COLUMN plant_state.condition_cap IS 'Upper limit of the health score, 0.5 to 10.';
COMMENT ON COLUMN plant_state.condition_collar IS 'Lower limit of the health score, 0.5 to 10.';
COMMENT ON COLUMN plant_state.reliability IS 'Reliability modifier, 0.6 to 1.5.';
COMMENT ON COLUMN plant_state.secure IS 'Whether supply survives its failure.';
COMMENT ON COLUMN plant_state.financial IS 'Factor of financial consequences relative to the reference.';
COMMENT ON COLUMN plant_state.safety IS 'Factor of safety consequences relative to the reference.';
COMMENT ON COLUMN plant_state.environmental IS 'Factor of environmental consequences relative to the reference.';
COMMENT ON COLUMN plant_state.withdrawn IS 'Day from which it is out of service; NULL while it is in use.';
COMMENT ON INDEX plant_state_pkey IS 'The condition of an asset (cable/plant, cable/put_plant, cable/stored_plant).';
CREATE INDEX plant_state_of_client ON plant_state (client_id);
COMMENT ON INDEX plant_state_of_client IS 'The condition of all plant of a utility (cable/years).';
ALTER TABLE plant_state ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON plant_state USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON plant_state USING ((SELECT bound_to_every()));
GRANT SELECT ON plant_state TO switchyard_tenant;
