//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A portal for electricity distribution: receives telemetry and shows it live.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 110)]
pub(crate) struct Cli {
    /// A settings file (TOML); see config.default.toml.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands of the executable.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Everything in one process: migrate, ingest, alarms, analytics, hub, api and web; with --demo also the demo utility and its field.
    All(AllArgs),
    /// Stores telemetry from MQTT in the database and publishes it on the bus.
    Ingest,
    /// Derives alarms and faults from telemetry and events.
    Alarms,
    /// Derives outages of feeders from the history.
    Analytics,
    /// Serves live values over Socket.IO.
    Hub(HubArgs),
    /// Serves REST and the web.
    Api,
    /// Simulates the RTUs of the demo, or replays a recorded data set, over MQTT.
    Simulate(SimulateArgs),
    /// Brings the database's schema up to date.
    Migrate,
    /// Writes the demo utility and its logins into the database.
    Seed(SeedArgs),
    /// Reads or writes the single-line diagram of a substation.
    #[command(subcommand)]
    Sld(SldCommand),
    /// Answers questions about a network in a file of another tool.
    #[command(subcommand)]
    Network(NetworkCommand),
    /// Forecasts of feeders and transformers: issues them, or shows the error of each method.
    #[command(subcommand)]
    Forecast(ForecastCommand),
    /// Manages users, the registry and the audit.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Prints the OpenAPI document.
    Openapi,
}

/// Arguments of `all`.
#[derive(Debug, Args)]
pub(crate) struct AllArgs {
    /// Seed the demo utility at the first start, allow its logins and simulate its gateways.
    #[arg(long)]
    pub demo: bool,
}

/// Arguments of `hub`.
#[derive(Debug, Args)]
pub(crate) struct HubArgs {
    /// Serve the public test suites of Engine.IO and Socket.IO on loopback instead of live values.
    #[arg(long)]
    pub conformance: bool,
}

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// Replay this CSV file instead of the demo's simulation.
    #[arg(long, value_name = "FILE", requires = "map")]
    pub replay: Option<PathBuf>,
    /// Mapping from columns to metrics (TOML).
    #[arg(long, value_name = "FILE", requires = "replay")]
    pub map: Option<PathBuf>,
    /// Clock rate; 1 is real time, 0 as fast as acknowledged (replay only).
    #[arg(long)]
    pub speed: Option<f64>,
}

/// Arguments of `seed`.
#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed the demo. Required, because its logins have a published password.
    #[arg(long, required = true)]
    pub demo: bool,
    /// Also generate this many days of history, and wait for it.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=730))]
    pub history: Option<u32>,
}

/// Subcommands of `sld`.
#[derive(Debug, Subcommand)]
pub(crate) enum SldCommand {
    /// Stores a drawing for a substation, with its bays expanded.
    Put {
        /// The utility's code.
        client: String,
        /// The substation's code.
        substation: String,
        /// The drawing (JSON, switchyard-sld version 1).
        file: PathBuf,
        /// Only report errors, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
    /// Prints the stored drawing of a substation.
    Get {
        /// The utility's code.
        client: String,
        /// The substation's code.
        substation: String,
    },
    /// Reports the errors of a drawing, without a database.
    Check {
        /// The drawing (JSON, switchyard-sld version 1).
        file: PathBuf,
    },
    /// Prints the JSON Schema of drawings.
    Schema,
    /// Stores a drawing from a file of another tool: SCL (IEC 61850-6) or SVG with metadata (PowSyBl), detected by
    /// content.
    Import {
        /// The file.
        file: PathBuf,
        /// The metadata (JSON) of an SVG.
        #[arg(long, value_name = "FILE")]
        metadata: Option<PathBuf>,
        /// The utility's code.
        #[arg(long, value_name = "CODE")]
        client: String,
        /// The substation's code.
        #[arg(long, value_name = "CODE")]
        substation: String,
        /// The name of the substation in an SCL file with several substations; default: the substation's code.
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Only report errors, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
    /// Generates a drawing of a substation from its assets and prints it.
    Layout {
        /// The utility's code.
        client: String,
        /// The substation's code.
        substation: String,
        /// Store it instead of printing it. Replaces the stored drawing.
        #[arg(long)]
        store: bool,
    },
}

/// Subcommands of `network`.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworkCommand {
    /// Lists the islands of a network: which parts are connected, and which of them a source feeds.
    Islands(IslandsArgs),
}

/// Arguments of `network islands`.
#[derive(Debug, Args)]
pub(crate) struct IslandsArgs {
    /// A network: a file, a folder or a zip. The format is recognised: pandapower JSON, CSV, CGMES, CIM100, SimBench CSV or SCL.
    #[arg(long, value_name = "FILE")]
    pub file: PathBuf,
    /// Opens a switch first, such as switch:12. Can be repeated.
    #[arg(long, value_name = "ID")]
    pub open: Vec<String>,
    /// Closes a switch first. Can be repeated.
    #[arg(long, value_name = "ID")]
    pub close: Vec<String>,
    /// Prints JSON: the islands with their nodes, the nodes that are not live, and the number of loops.
    #[arg(long)]
    pub json: bool,
}

/// Subcommands of `forecast`.
#[derive(Debug, Subcommand)]
pub(crate) enum ForecastCommand {
    /// Issues the forecasts that are due and computes missing backcasts, as the services do every hour.
    Run,
    /// Prints the error of each method for the last weeks of an asset, each week computed from what was known at its
    /// start.
    Backtest {
        /// The asset's id.
        #[arg(long, value_name = "ID")]
        asset: i64,
        /// Number of weeks.
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=52))]
        weeks: u32,
        /// The forecast quantity.
        #[arg(long, value_enum, default_value_t = MeasureArg::Demand)]
        measure: MeasureArg,
    },
}

/// A quantity with forecasts.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum MeasureArg {
    /// Active power.
    Demand,
    /// The mean of the phases' currents.
    Current,
}

/// Subcommands of `admin`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Adds the first administrator of a utility and prints a link to set the password, valid once and for one day.
    FirstAdministrator {
        /// The utility's code.
        client: String,
        /// The sign-in name. An existing administrator only gets a new link.
        username: String,
        /// The e-mail address.
        email: String,
        /// An administrator of all utilities instead of this one.
        #[arg(long)]
        super_user: bool,
    },
    /// Manages second factors.
    #[command(subcommand)]
    SecondFactor(SecondFactorCommand),
    /// Verifies the audit and writes checkpoints.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Imports cable sections, their condition or faults, or plant from a CSV file: all rows, or none if a row is
    /// wrong.
    ImportCableHealth {
        /// The content of the file. Import sections before their condition and faults.
        #[arg(value_parser = ["register", "condition", "faults", "plant"])]
        kind: String,
        /// The file; docs/reference/asset-health.md describes its columns.
        file: PathBuf,
        /// The utility's code.
        #[arg(long, value_name = "CODE")]
        client: String,
        /// Only report errors, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
    /// Imports circles, divisions, towns, subdivisions, sections, substations and assets from a CSV file: all rows, or
    /// none if a row is wrong.
    ImportHierarchy {
        /// The file: columns level, code, name, parent; for some levels also kv, lat, lon, type, class, device, customers, control, sbo.
        file: PathBuf,
        /// The utility's code.
        #[arg(long, value_name = "CODE")]
        client: String,
        /// Only report errors, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Subcommands of `admin second-factor`.
#[derive(Debug, Subcommand)]
pub(crate) enum SecondFactorCommand {
    /// Removes the second factor of a user who has lost both device and recovery codes, if no other administrator can.
    /// The user gets a mail.
    Remove {
        /// The sign-in name.
        username: String,
    },
}

/// Subcommands of `admin audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Recomputes the chains of all utilities and prints the end of each. Fails if a row was changed, removed or
    /// inserted later.
    Verify {
        /// Output of earlier runs: also fails if rows at the end are missing since then, or a chain was rewritten.
        #[arg(long, value_name = "FILE")]
        expect: Option<PathBuf>,
        /// Signed checkpoints to compare with, instead of those of this machine's settings. Repeat the option for those
        /// of other machines.
        #[arg(long, value_name = "FILE")]
        checkpoints: Vec<PathBuf>,
        /// The public key that signed them, as `checkpoint` prints it, instead of that of this machine's secret.
        #[arg(long, value_name = "HEX")]
        key: Option<String>,
    },
    /// Adds a signed checkpoint of every chain to the file of checkpoints, and prints it.
    Checkpoint,
}
