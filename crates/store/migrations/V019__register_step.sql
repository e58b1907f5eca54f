-- Energy registers: steps that users have confirmed.

CREATE TABLE register_step (
    client_id    bigint      NOT NULL,
    point_id     bigint      NOT NULL,
    at           timestamptz NOT NULL,
    amount       float8      NOT NULL CHECK (amount > 0),
    confirmed_by text        NOT NULL,
    confirmed    timestamptz NOT NULL,
    note         text        NOT NULL CHECK (length(note) BETWEEN 1 AND 500),
    PRIMARY KEY (client_id, point_id, at),
    FOREIGN KEY (client_id, point_id) REFERENCES point (client_id, id)
);
COMMENT ON TABLE register_step IS 'Steps of energy registers that the rating of the line does not allow, and that a user has confirmed as real. They count.';
COMMENT ON COLUMN register_step.client_id IS 'The utility.';
COMMENT ON COLUMN register_step.point_id IS 'The register.';
COMMENT ON COLUMN register_step.at IS 'Source time of the reading after the step.';
COMMENT ON COLUMN register_step.amount IS 'The amount of the step, in the unit of the register.';
COMMENT ON COLUMN register_step.confirmed_by IS 'Name of the user who confirmed it.';
COMMENT ON COLUMN register_step.confirmed IS 'Time of the confirmation.';
COMMENT ON COLUMN register_step.note IS 'The reason that the user gave.';
COMMENT ON INDEX register_step_pkey IS 'The confirmed steps of registers in a period (register_step/of_points, register_step/put, register_step/remove).';
ALTER TABLE register_step ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON register_step USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON register_step USING ((SELECT bound_to_every()));
GRANT SELECT ON register_step TO switchyard_tenant;
