//! The names of the files and their columns.

/// A file: its name and its columns.
pub(crate) type Columns = (&'static str, &'static [&'static str]);

pub(super) const CONTAINERS: Columns = ("containers.csv", &["id", "name", "kind", "parent", "nominal_kv", "longitude", "latitude"]);

/// The file that every network has.
pub(crate) const NODES: Columns = ("nodes.csv", &["id", "name", "container", "nominal_kv", "internal", "longitude", "latitude"]);

pub(super) const BUSBARS: Columns = ("busbars.csv", &["id", "name", "container", "node", "phases", "in_service"]);

pub(super) const SWITCHES: Columns = (
    "switches.csv",
    &["id", "name", "kind", "container", "node_1", "node_2", "phases", "in_service", "normally_open", "rated_a", "breaking_ka"],
);

pub(super) const LINES: Columns = (
    "lines.csv",
    &[
        "id",
        "name",
        "kind",
        "container",
        "node_1",
        "node_2",
        "phases",
        "in_service",
        "length_km",
        "r_ohm",
        "x_ohm",
        "r0_ohm",
        "x0_ohm",
        "g_s",
        "b_s",
        "b0_s",
        "rated_a",
        "kw",
        "r_aa_ohm",
        "r_ba_ohm",
        "r_bb_ohm",
        "r_ca_ohm",
        "r_cb_ohm",
        "r_cc_ohm",
        "x_aa_ohm",
        "x_ba_ohm",
        "x_bb_ohm",
        "x_ca_ohm",
        "x_cb_ohm",
        "x_cc_ohm",
        "b_aa_s",
        "b_ba_s",
        "b_bb_s",
        "b_ca_s",
        "b_cb_s",
        "b_cc_s",
    ],
);

/// The columns of lines with electrical values.
pub(super) const LINE_VALUES: &[&str] = LINES.1.split_at(8).1;

/// The columns of an impedance.
pub(super) const SERIES: [&str; 4] = ["r_ohm", "x_ohm", "r0_ohm", "x0_ohm"];

/// The pairs of phases in the names of columns, in the order of the lower triangle.
pub(super) const PAIRS: [&str; 6] = ["aa", "ba", "bb", "ca", "cb", "cc"];

pub(super) const TRANSFORMERS: Columns = (
    "transformers.csv",
    &[
        "id",
        "name",
        "container",
        "node_1",
        "node_2",
        "node_3",
        "phases",
        "in_service",
        "rated_kv_1",
        "rated_kva_1",
        "connection_1",
        "clock_1",
        "r_ohm_1",
        "x_ohm_1",
        "r0_ohm_1",
        "x0_ohm_1",
        "g_s_1",
        "b_s_1",
        "tap_step_1",
        "tap_neutral_1",
        "tap_low_1",
        "tap_high_1",
        "tap_step_percent_1",
        "tap_step_degrees_1",
        "rated_kv_2",
        "rated_kva_2",
        "connection_2",
        "clock_2",
        "r_ohm_2",
        "x_ohm_2",
        "r0_ohm_2",
        "x0_ohm_2",
        "g_s_2",
        "b_s_2",
        "tap_step_2",
        "tap_neutral_2",
        "tap_low_2",
        "tap_high_2",
        "tap_step_percent_2",
        "tap_step_degrees_2",
        "rated_kv_3",
        "rated_kva_3",
        "connection_3",
        "clock_3",
        "r_ohm_3",
        "x_ohm_3",
        "r0_ohm_3",
        "x0_ohm_3",
        "g_s_3",
        "b_s_3",
        "tap_step_3",
        "tap_neutral_3",
        "tap_low_3",
        "tap_high_3",
        "tap_step_percent_3",
        "tap_step_degrees_3",
    ],
);

pub(super) const LOADS: Columns = (
    "loads.csv",
    &[
        "id",
        "name",
        "container",
        "node",
        "phases",
        "in_service",
        "customers",
        "kw",
        "kvar",
        "kw_a",
        "kvar_a",
        "kw_b",
        "kvar_b",
        "kw_c",
        "kvar_c",
        "constant_impedance",
        "constant_current",
        "delta",
    ],
);

/// The columns of loads with electrical values.
pub(super) const LOAD_VALUES: &[&str] = LOADS.1.split_at(6).1;

pub(super) const SOURCES: Columns = (
    "sources.csv",
    &["id", "name", "container", "node", "phases", "in_service", "voltage_pu", "angle_deg", "r_ohm", "x_ohm", "r0_ohm", "x0_ohm"],
);

pub(super) const SHUNTS: Columns = ("shunts.csv", &["id", "name", "container", "node", "phases", "in_service", "g_s", "b_s"]);

pub(super) const GENERATORS: Columns = (
    "generators.csv",
    &["id", "name", "kind", "container", "node", "phases", "in_service", "kw", "kvar", "voltage_pu", "rated_kva", "stored_kwh"],
);

pub(super) const MEASUREMENTS: Columns = ("measurements.csv", &["id", "equipment", "terminal", "quantity", "phases", "point"]);

/// All files.
pub(super) const ALL: [Columns; 11] =
    [CONTAINERS, NODES, BUSBARS, SWITCHES, LINES, TRANSFORMERS, LOADS, SOURCES, SHUNTS, GENERATORS, MEASUREMENTS];
