-- What is known of transformers besides their place: rating, insulation, thermal parameters, and the limits of their indicators.
CREATE TABLE rating (
    asset_id          bigint  PRIMARY KEY,
    client_id         bigint  NOT NULL,
    -- Of the cooling stage in service.
    rated_mva         float8  NOT NULL CHECK (rated_mva > 0 AND rated_mva < 10000),
    cooling           text    NOT NULL DEFAULT 'onan' CHECK (cooling IN ('onan', 'onaf', 'distribution')),
    paper             text    NOT NULL DEFAULT 'normal' CHECK (paper IN ('normal', 'upgraded')),
    -- How far two hours of overload may go (IEC 60076-7).
    regime            text    NOT NULL DEFAULT 'normal_cyclic' CHECK (regime IN ('normal_cyclic', 'long_emergency', 'short_emergency')),
    -- From the heat-run test. NULL takes the default of the cooling (grid::thermal::Parameters::typical).
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
    -- °C of the indicators.
    oil_alarm_c       float8,
    oil_trip_c        float8,
    winding_alarm_c   float8,
    winding_trip_c    float8,
    -- Life that was used before the first stored value, in years at the reference temperature.
    used_life_years   float8  NOT NULL DEFAULT 0 CHECK (used_life_years >= 0 AND used_life_years < 1000),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
ALTER TABLE rating ENABLE ROW LEVEL SECURITY;
ALTER TABLE rating FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON rating USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON rating USING ((SELECT bound_to_every()));
GRANT SELECT ON rating TO switchyard_tenant;
