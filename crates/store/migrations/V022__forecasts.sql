-- Forecasts as they were issued. None is ever changed: what is compared with an actual value is the newest that was issued before its hour.
CREATE TABLE forecast (
    client_id bigint      NOT NULL,
    asset_id  bigint      NOT NULL,
    measure   text        NOT NULL CHECK (measure IN ('demand', 'current')),
    -- The start of the first hour that is forecast. Nothing that was measured at or after it is in the forecast.
    issued    timestamptz NOT NULL,
    method    text        NOT NULL,
    -- Made afterwards, as of `issued`: from the data before that alone, but perhaps from values that came late.
    backcast  boolean     NOT NULL,
    made      timestamptz NOT NULL DEFAULT now(),
    -- An entry an hour; NULL where nothing is known. Megawatts or amperes.
    value     real[]      NOT NULL CHECK (cardinality(value) BETWEEN 1 AND 168),
    q10       real[]      NOT NULL CHECK (cardinality(q10) = cardinality(value)),
    q90       real[]      NOT NULL CHECK (cardinality(q90) = cardinality(value)),
    PRIMARY KEY (asset_id, measure, issued),
    FOREIGN KEY (client_id, asset_id) REFERENCES asset (client_id, id)
);
CREATE INDEX forecast_of_client ON forecast (client_id, issued);
CREATE INDEX forecast_issued ON forecast (issued);

ALTER TABLE forecast ENABLE ROW LEVEL SECURITY;
ALTER TABLE forecast FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON forecast USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON forecast USING ((SELECT bound_to_every()));
GRANT SELECT ON forecast TO switchyard_tenant;
