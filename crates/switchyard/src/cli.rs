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
    /// Stores, checks, activates and exports the network model, and answers questions about it.
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
    /// Also seed and simulate a large utility with a network of 100,000 nodes and logins of its own.
    #[arg(long, requires = "demo")]
    pub large: bool,
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
    /// Also simulate the large utility of the demo.
    #[arg(long, conflicts_with = "replay")]
    pub large: bool,
}

/// Arguments of `seed`.
#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    /// Seed the demo. Required, because its logins have a published password.
    #[arg(long, required = true)]
    pub demo: bool,
    /// Also seed the large utility, with a network of 100,000 nodes.
    #[arg(long)]
    pub large: bool,
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
    /// Stores a network from files as a new version, as a whole. Parts that the files do not have are removed.
    Import(NetworkImportArgs),
    /// Makes the network of substations that have a drawing and no model, and stores it as a new version.
    Derive(NetworkDeriveArgs),
    /// Lists what is wrong in a network, with place and remedy, and where drawings differ from it. Fails if the network
    /// cannot be activated.
    Check(NetworkSourceArgs),
    /// Lists the islands of a network: which parts are connected, and which of them a source feeds.
    Islands(IslandsArgs),
    /// Writes a network for another tool.
    Export(NetworkExportArgs),
    /// Lists the stored versions, newest first, with the times from which they are active.
    Versions {
        /// The utility's code; needed if there are several.
        #[arg(long, value_name = "CODE")]
        utility: Option<String>,
    },
    /// Makes a stored version the network of the utility, now or later.
    Activate {
        /// The number of the version.
        version: i32,
        /// The time from which it is active, such as 2026-12-01T05:00:00Z; default: now.
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// Why it is activated although temporary changes do not fit it. Without a reason, that is refused.
        #[arg(long, value_name = "REASON")]
        unfit_reason: Option<String>,
        /// The utility's code; needed if there are several.
        #[arg(long, value_name = "CODE")]
        utility: Option<String>,
    },
}

/// Arguments of `network import`.
#[derive(Debug, Args)]
pub(crate) struct NetworkImportArgs {
    /// The files: a network that pandapower has written with to_json, or our own JSON. Detected by content.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Only report findings, and what would change.
    #[arg(long)]
    pub dry_run: bool,
    /// The utility's code; needed if there are several.
    #[arg(long, value_name = "CODE")]
    pub utility: Option<String>,
    /// What was changed, for the list of versions.
    #[arg(long, default_value = "")]
    pub note: String,
    /// Make the new version the network of the utility at once.
    #[arg(long, conflicts_with = "dry_run")]
    pub activate: bool,
}

/// Arguments of `network derive`.
#[derive(Debug, Args)]
pub(crate) struct NetworkDeriveArgs {
    /// Only report findings, and what would change.
    #[arg(long)]
    pub dry_run: bool,
    /// The utility's code; needed if there are several.
    #[arg(long, value_name = "CODE")]
    pub utility: Option<String>,
    /// What was changed, for the list of versions.
    #[arg(long, default_value = "derived from drawings")]
    pub note: String,
    /// Make the new version the network of the utility at once.
    #[arg(long, conflicts_with = "dry_run")]
    pub activate: bool,
}

/// Which network a command reads: a file, or a stored version.
#[derive(Debug, Args)]
pub(crate) struct NetworkSourceArgs {
    /// A network in a file, as for `network import`. Default: a stored network.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["utility", "network_version"])]
    pub file: Option<PathBuf>,
    /// The code of the utility whose network is read; needed if there are several.
    #[arg(long, value_name = "CODE")]
    pub utility: Option<String>,
    /// The number of the stored version; default: the active one, or the newest if none is active.
    #[arg(id = "network_version", long = "version", value_name = "NUMBER")]
    pub version: Option<i32>,
}

/// Arguments of `network islands`.
#[derive(Debug, Args)]
pub(crate) struct IslandsArgs {
    /// The network.
    #[command(flatten)]
    pub source: NetworkSourceArgs,
    /// Opens a switch first, such as switch:12. Can be repeated.
    #[arg(long, value_name = "ID")]
    pub open: Vec<String>,
    /// Closes a switch first. Can be repeated.
    #[arg(long, value_name = "ID")]
    pub close: Vec<String>,
    /// Prints JSON: the islands with their nodes, the dead nodes, and the number of loops. For a stored network also the nodes whose state is unknown, which a
    /// generator or a battery may feed; for a file these are among the dead ones, as in other tools.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `network export`.
#[derive(Debug, Args)]
pub(crate) struct NetworkExportArgs {
    /// The network.
    #[command(flatten)]
    pub source: NetworkSourceArgs,
    /// The format.
    #[arg(long, value_enum)]
    pub format: NetworkFormat,
    /// The file to write, or the folder if there are several; default: standard output.
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

/// A format of network files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum NetworkFormat {
    /// JSON of pandapower.
    Pandapower,
    /// JSON of power-grid-model.
    Pgm,
    /// Tables for spreadsheets: several files.
    Csv,
    /// CGMES 3.0: several files.
    Cgmes,
    /// Our own JSON, with everything that is stored.
    Json,
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
