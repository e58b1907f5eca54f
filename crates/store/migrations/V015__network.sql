-- Network: versions of the network model of each utility, the times from which they are active, and their parts.
--
-- A version is a number. A part is a row for each state that it has had: from its first version to its last one. So a change of one part writes one row,
-- whatever the size of the network, and each version can be read. Rows are never deleted. Parts have no foreign keys: they refer to each other by the ids of
-- their source, an incomplete network can be stored, and each row is written in the transaction of its version. Ids are compared by their bytes.

CREATE TABLE network_version (
    client_id    bigint      NOT NULL REFERENCES client,
    number       integer     NOT NULL CHECK (number > 0),
    note         text        NOT NULL CHECK (length(note) <= 1000),
    member_id    bigint      REFERENCES member ON DELETE SET NULL,
    created      timestamptz NOT NULL,
    containers   integer     NOT NULL CHECK (containers >= 0),
    nodes        integer     NOT NULL CHECK (nodes >= 0),
    equipment    integer     NOT NULL CHECK (equipment >= 0),
    measurements integer     NOT NULL CHECK (measurements >= 0),
    PRIMARY KEY (client_id, number)
);
COMMENT ON TABLE network_version IS 'Versions of the network. Each change set makes one. They are kept for ever, because reliability and replay need the network as it was.';
COMMENT ON COLUMN network_version.client_id IS 'The utility.';
COMMENT ON COLUMN network_version.number IS 'Number of the version, from 1 without gaps.';
COMMENT ON COLUMN network_version.note IS 'What was changed, by the user who made it; may be empty.';
COMMENT ON COLUMN network_version.member_id IS 'The user who made it; NULL if it was made at the console, or the user was deleted. The audit has the user in any case.';
COMMENT ON COLUMN network_version.created IS 'Time at which it was made.';
COMMENT ON COLUMN network_version.containers IS 'Number of its containers.';
COMMENT ON COLUMN network_version.nodes IS 'Number of its nodes.';
COMMENT ON COLUMN network_version.equipment IS 'Number of its pieces of equipment.';
COMMENT ON COLUMN network_version.measurements IS 'Number of its measurements.';
COMMENT ON INDEX network_version_pkey IS 'A version; the newest ones (network/newest, network/version, network/versions).';
ALTER TABLE network_version ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON network_version USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON network_version USING ((SELECT bound_to_every()));
GRANT SELECT ON network_version TO switchyard_tenant;

CREATE TABLE network_activation (
    client_id bigint      NOT NULL,
    since     timestamptz NOT NULL,
    version   integer     NOT NULL,
    member_id bigint      REFERENCES member ON DELETE SET NULL,
    entered   timestamptz NOT NULL,
    PRIMARY KEY (client_id, since),
    FOREIGN KEY (client_id, version) REFERENCES network_version (client_id, number)
);
COMMENT ON TABLE network_activation IS 'Times from which a version is the network of the utility, until the next one. A version can be activated again. Kept for ever.';
COMMENT ON COLUMN network_activation.client_id IS 'The utility.';
COMMENT ON COLUMN network_activation.since IS 'Time from which the version is active; may be in the future.';
COMMENT ON COLUMN network_activation.version IS 'The version.';
COMMENT ON COLUMN network_activation.member_id IS 'The user who activated it; NULL if it was activated at the console, or the user was deleted.';
COMMENT ON COLUMN network_activation.entered IS 'Time at which the activation was entered.';
COMMENT ON INDEX network_activation_pkey IS 'The version that is active at a time (network/active, network/activations, network/drop_planned).';
ALTER TABLE network_activation ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON network_activation USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON network_activation USING ((SELECT bound_to_every()));
GRANT SELECT ON network_activation TO switchyard_tenant;

CREATE TABLE network_container (
    client_id     bigint  NOT NULL REFERENCES client,
    id            text    COLLATE "C" NOT NULL,
    first_version integer NOT NULL CHECK (first_version > 0),
    last_version  integer CHECK (last_version >= first_version),
    kind          text    NOT NULL CHECK (kind IN ('Substation', 'VoltageLevel', 'Bay', 'Feeder', 'Line')),
    name          text    NOT NULL,
    parent        text,
    nominal_kv    float8,
    lon           float8,
    lat           float8,
    PRIMARY KEY (client_id, id, first_version),
    CHECK ((lon IS NULL) = (lat IS NULL))
);
COMMENT ON TABLE network_container IS 'Containers of the network: substations, voltage levels, bays, feeders and lines.';
COMMENT ON COLUMN network_container.client_id IS 'The utility.';
COMMENT ON COLUMN network_container.id IS 'Id in the source, unique among the containers of a version.';
COMMENT ON COLUMN network_container.first_version IS 'First version with this state of the container.';
COMMENT ON COLUMN network_container.last_version IS 'Last version with this state; NULL if the newest version has it.';
COMMENT ON COLUMN network_container.kind IS 'Class of IEC 61970-301: Substation, VoltageLevel, Bay, Feeder or Line.';
COMMENT ON COLUMN network_container.name IS 'Name for display; may be empty.';
COMMENT ON COLUMN network_container.parent IS 'Id of the container that it is part of; NULL if there is none.';
COMMENT ON COLUMN network_container.nominal_kv IS 'Nominal voltage of a voltage level, kV; NULL if not known.';
COMMENT ON COLUMN network_container.lon IS 'Longitude, degrees east (WGS 84); NULL if not known.';
COMMENT ON COLUMN network_container.lat IS 'Latitude, degrees north (WGS 84); NULL if not known.';
COMMENT ON INDEX network_container_pkey IS 'The containers of a version, in pages (network/containers).';
CREATE UNIQUE INDEX network_container_newest ON network_container (client_id, id) WHERE last_version IS NULL;
COMMENT ON INDEX network_container_newest IS 'One row for each container of the newest version; those that a change set changes or removes (network/end_containers).';
ALTER TABLE network_container ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON network_container USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON network_container USING ((SELECT bound_to_every()));
GRANT SELECT ON network_container TO switchyard_tenant;

CREATE TABLE network_node (
    client_id     bigint  NOT NULL REFERENCES client,
    id            text    COLLATE "C" NOT NULL,
    first_version integer NOT NULL CHECK (first_version > 0),
    last_version  integer CHECK (last_version >= first_version),
    name          text    NOT NULL,
    container     text,
    nominal_kv    float8,
    is_internal   boolean NOT NULL,
    lon           float8,
    lat           float8,
    PRIMARY KEY (client_id, id, first_version),
    CHECK ((lon IS NULL) = (lat IS NULL))
);
COMMENT ON TABLE network_node IS 'Connectivity nodes of the network.';
COMMENT ON COLUMN network_node.client_id IS 'The utility.';
COMMENT ON COLUMN network_node.id IS 'Id in the source, unique among the nodes of a version.';
COMMENT ON COLUMN network_node.first_version IS 'First version with this state of the node.';
COMMENT ON COLUMN network_node.last_version IS 'Last version with this state; NULL if the newest version has it.';
COMMENT ON COLUMN network_node.name IS 'Name for display; may be empty.';
COMMENT ON COLUMN network_node.container IS 'Id of the container; NULL if there is none.';
COMMENT ON COLUMN network_node.nominal_kv IS 'Nominal voltage between phases, kV; NULL if not known.';
COMMENT ON COLUMN network_node.is_internal IS 'Whether the source does not have the node and an import added it.';
COMMENT ON COLUMN network_node.lon IS 'Longitude, degrees east (WGS 84); NULL if not known.';
COMMENT ON COLUMN network_node.lat IS 'Latitude, degrees north (WGS 84); NULL if not known.';
COMMENT ON INDEX network_node_pkey IS 'The nodes of a version, in pages (network/nodes).';
CREATE UNIQUE INDEX network_node_newest ON network_node (client_id, id) WHERE last_version IS NULL;
COMMENT ON INDEX network_node_newest IS 'One row for each node of the newest version; those that a change set changes or removes (network/end_nodes).';
ALTER TABLE network_node ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON network_node USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON network_node USING ((SELECT bound_to_every()));
GRANT SELECT ON network_node TO switchyard_tenant;

CREATE TABLE network_equipment (
    client_id     bigint  NOT NULL REFERENCES client,
    id            text    COLLATE "C" NOT NULL,
    first_version integer NOT NULL CHECK (first_version > 0),
    last_version  integer CHECK (last_version >= first_version),
    kind          text    NOT NULL,
    name          text    NOT NULL,
    container     text,
    in_service    boolean NOT NULL,
    terminals     jsonb   NOT NULL CHECK (jsonb_typeof(terminals) = 'array'),
    electrical    jsonb   NOT NULL,
    PRIMARY KEY (client_id, id, first_version)
);
COMMENT ON TABLE network_equipment IS 'Equipment of the network, with its terminals.';
COMMENT ON COLUMN network_equipment.client_id IS 'The utility.';
COMMENT ON COLUMN network_equipment.id IS 'Id in the source, unique among the equipment of a version.';
COMMENT ON COLUMN network_equipment.first_version IS 'First version with this state of the equipment.';
COMMENT ON COLUMN network_equipment.last_version IS 'Last version with this state; NULL if the newest version has it.';
COMMENT ON COLUMN network_equipment.kind IS 'Class of IEC 61970-301, such as Breaker or ACLineSegment.';
COMMENT ON COLUMN network_equipment.name IS 'Name for display; may be empty.';
COMMENT ON COLUMN network_equipment.container IS 'Id of the container; NULL if there is none.';
COMMENT ON COLUMN network_equipment.in_service IS 'Whether it is in service. Equipment out of service connects nothing and feeds nothing.';
COMMENT ON COLUMN network_equipment.terminals IS 'JSON array of its terminals, in order: node, the id of its node; phases, letters of ABC.';
COMMENT ON COLUMN network_equipment.electrical IS 'Ratings and impedances as JSON: "Nothing", or an object with one key, such as Line, and the values with their units in the names.';
COMMENT ON INDEX network_equipment_pkey IS 'The equipment of a version, in pages (network/equipment).';
CREATE UNIQUE INDEX network_equipment_newest ON network_equipment (client_id, id) WHERE last_version IS NULL;
COMMENT ON INDEX network_equipment_newest IS 'One row for each piece of equipment of the newest version; those that a change set changes or removes (network/end_equipment).';
ALTER TABLE network_equipment ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON network_equipment USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON network_equipment USING ((SELECT bound_to_every()));
GRANT SELECT ON network_equipment TO switchyard_tenant;

CREATE TABLE network_measurement (
    client_id     bigint   NOT NULL REFERENCES client,
    id            text     COLLATE "C" NOT NULL,
    first_version integer  NOT NULL CHECK (first_version > 0),
    last_version  integer  CHECK (last_version >= first_version),
    equipment     text     NOT NULL,
    terminal      smallint CHECK (terminal BETWEEN 0 AND 255),
    quantity      text     NOT NULL,
    phases        text     NOT NULL,
    point         text,
    PRIMARY KEY (client_id, id, first_version)
);
COMMENT ON TABLE network_measurement IS 'Measurements: what is measured at equipment of the network, and the points that report it.';
COMMENT ON COLUMN network_measurement.client_id IS 'The utility.';
COMMENT ON COLUMN network_measurement.id IS 'Id in the source, unique among the measurements of a version.';
COMMENT ON COLUMN network_measurement.first_version IS 'First version with this state of the measurement.';
COMMENT ON COLUMN network_measurement.last_version IS 'Last version with this state; NULL if the newest version has it.';
COMMENT ON COLUMN network_measurement.equipment IS 'Id of the equipment.';
COMMENT ON COLUMN network_measurement.terminal IS 'Number of the terminal, from 1; NULL if the measurement belongs to none, as the position of a switch.';
COMMENT ON COLUMN network_measurement.quantity IS 'What is measured, by the code of points, such as Pos or Ir.';
COMMENT ON COLUMN network_measurement.phases IS 'The phases that are measured, letters of ABC.';
COMMENT ON COLUMN network_measurement.point IS 'The point that reports it, as gateway/device/metric; NULL if it is not bound to one. Found by its codes when it is read, so that a point that does not exist yet can be named.';
COMMENT ON INDEX network_measurement_pkey IS 'The measurements of a version, in pages (network/measurements).';
CREATE UNIQUE INDEX network_measurement_newest ON network_measurement (client_id, id) WHERE last_version IS NULL;
COMMENT ON INDEX network_measurement_newest IS 'One row for each measurement of the newest version; those that a change set changes or removes (network/end_measurements).';
ALTER TABLE network_measurement ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON network_measurement USING (client_id = (SELECT bound_client()));
CREATE POLICY every ON network_measurement USING ((SELECT bound_to_every()));
GRANT SELECT ON network_measurement TO switchyard_tenant;
