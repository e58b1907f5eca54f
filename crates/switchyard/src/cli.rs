//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// A portal for electricity distribution: telemetry in, live pictures out.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 110)]
pub(crate) struct Cli {
    /// A settings file (TOML); see config.default.toml.
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The roles of the one executable.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Everything in one process: migrate, ingest, alarms, analytics, hub, api and web; with --demo also the demo utility and its field.
    All(AllArgs),
    /// From MQTT to the database and the bus.
    Ingest,
    /// From what the field reports to alarms and faults.
    Alarms,
    /// What follows from the history at leisure: outages of feeders.
    Analytics,
    /// Live pictures over Socket.IO.
    Hub(HubArgs),
    /// REST and the web.
    Api,
    /// The demo's field, or a recorded data set, as RTUs over MQTT.
    Simulate(SimulateArgs),
    /// Brings the database's schema up to date.
    Migrate,
    /// Writes the demo utility and its logins into the database.
    Seed(SeedArgs),
    /// Reads or writes the single-line diagram of a substation.
    #[command(subcommand)]
    Sld(SldCommand),
    /// What is expected of each feeder and transformer: issue it, or see how well each method would have done.
    #[command(subcommand)]
    Forecast(ForecastCommand),
    /// Work on the people who may sign in, and on what stands where.
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Prints the OpenAPI document.
    Openapi,
}

/// Of `all`.
#[derive(Debug, Args)]
pub(crate) struct AllArgs {
    /// Seed the demo utility at the first start, allow its logins and run its field.
    #[arg(long)]
    pub demo: bool,
}

/// Of `hub`.
#[derive(Debug, Args)]
pub(crate) struct HubArgs {
    /// Serve what the public test suites of Engine.IO and Socket.IO expect, on loopback, in place of live pictures.
    #[arg(long)]
    pub conformance: bool,
}

/// Of `simulate`.
#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// Replay this CSV file in place of the demo's physics.
    #[arg(long, value_name = "FILE", requires = "map")]
    pub replay: Option<PathBuf>,
    /// Which column is which metric (TOML).
    #[arg(long, value_name = "FILE", requires = "replay")]
    pub map: Option<PathBuf>,
    /// Clock rate; 1 is real time, 0 as fast as acknowledged (replay only).
    #[arg(long)]
    pub speed: Option<f64>,
}

/// Of `seed`.
#[derive(Debug, Args)]
pub(crate) struct SeedArgs {
    /// The only thing there is to seed so far; asked for because its logins have a published password.
    #[arg(long, required = true)]
    pub demo: bool,
    /// Make up so many days of history too, and wait for it.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=730))]
    pub history: Option<u32>,
}

/// Of `sld`.
#[derive(Debug, Subcommand)]
pub(crate) enum SldCommand {
    /// Stores a drawing for a substation, its bays expanded.
    Put {
        /// The utility's code.
        client: String,
        /// The substation's code.
        substation: String,
        /// The drawing (JSON, switchyard-sld version 1).
        file: PathBuf,
        /// Only say what is wrong, or what would be stored.
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
    /// Says what is wrong with a drawing, without a database.
    Check {
        /// The drawing (JSON, switchyard-sld version 1).
        file: PathBuf,
    },
    /// Prints the JSON Schema of drawings.
    Schema,
    /// Stores a drawing made from another tool's file: SCL (IEC 61850-6) or SVG with metadata (PowSyBl), told apart by content.
    Import {
        /// The file.
        file: PathBuf,
        /// The metadata (JSON) beside an SVG.
        #[arg(long, value_name = "FILE")]
        metadata: Option<PathBuf>,
        /// The utility's code.
        #[arg(long, value_name = "CODE")]
        client: String,
        /// The substation's code; of several substations in an SCL file the one of this name.
        #[arg(long, value_name = "CODE")]
        substation: String,
        /// Only say what is wrong, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
    /// Draws a substation from its assets alone and prints the drawing.
    Layout {
        /// The utility's code.
        client: String,
        /// The substation's code.
        substation: String,
        /// Store it in place of printing it; the drawing that is there is replaced.
        #[arg(long)]
        store: bool,
    },
}

/// Of `forecast`.
#[derive(Debug, Subcommand)]
pub(crate) enum ForecastCommand {
    /// Issues what is due now and makes up the days that nobody was told of, as the services do every hour.
    Run,
    /// Prints how well each method would have told the last weeks of an asset, each from what was known at its start.
    Backtest {
        /// The asset's id.
        #[arg(long, value_name = "ID")]
        asset: i64,
        /// How many weeks.
        #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=52))]
        weeks: u32,
        /// Of what.
        #[arg(long, value_enum, default_value_t = MeasureArg::Demand)]
        measure: MeasureArg,
    },
}

/// What is forecast.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum MeasureArg {
    /// Active power.
    Demand,
    /// The mean of the phases' currents.
    Current,
}

/// Of `admin`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Adds the first administrator of a utility and prints a link, good once, by which they set their password: a first one within a day.
    FirstAdministrator {
        /// The utility's code.
        client: String,
        /// The sign-in name; that of an administrator who is there already gets a new link and nothing else.
        username: String,
        /// The e-mail address.
        email: String,
        /// Of all utilities in place of this one alone.
        #[arg(long)]
        super_user: bool,
    },
    /// Work on second factors.
    #[command(subcommand)]
    SecondFactor(SecondFactorCommand),
    /// Work on the audit.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Enters sections of cables, their condition or faults, or plant from a CSV file: all of it, or nothing when a row is wrong.
    ImportCableHealth {
        /// What the file is about. Sections come before what is said of them.
        #[arg(value_parser = ["register", "condition", "faults", "plant"])]
        kind: String,
        /// The file; docs/API.md has its columns.
        file: PathBuf,
        /// The utility's code.
        #[arg(long, value_name = "CODE")]
        client: String,
        /// Only say what is wrong, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
    /// Enters circles, divisions, towns, subdivisions, sections, substations and assets from a CSV file: all of it, or nothing when a row is wrong.
    ImportHierarchy {
        /// The file: columns level, code, name, parent; for some levels also kv, lat, lon, type, class, device, customers, control, sbo.
        file: PathBuf,
        /// The utility's code.
        #[arg(long, value_name = "CODE")]
        client: String,
        /// Only say what is wrong, or what would be stored.
        #[arg(long)]
        dry_run: bool,
    },
}

/// Of `admin second-factor`.
#[derive(Debug, Subcommand)]
pub(crate) enum SecondFactorCommand {
    /// Removes that of a person who has lost both device and recovery codes, where no other administrator can; they are told by mail.
    Remove {
        /// The sign-in name.
        username: String,
    },
}

/// Of `admin audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Computes the chains of all utilities anew, prints where each ends, and fails when a row was changed, taken out or put in later.
    Verify {
        /// What earlier runs have printed: fails too when rows are missing at the end since then, or a chain was written anew.
        #[arg(long, value_name = "FILE")]
        expect: Option<PathBuf>,
        /// Signed checkpoints to compare with, in place of those of this machine's settings; may be named again for those of another machine.
        #[arg(long, value_name = "FILE")]
        checkpoints: Vec<PathBuf>,
        /// The public key, as `checkpoint` prints it, that has signed them, in place of that of this machine's own secret.
        #[arg(long, value_name = "HEX")]
        key: Option<String>,
    },
    /// Adds a signed checkpoint of where every chain stands to the file of checkpoints, and prints it.
    Checkpoint,
}
