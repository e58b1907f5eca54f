//! Results of database reads, in the form in which readers send them to the core.

use std::sync::Arc;

use drawing::picture::Drawn;
use grid::{ClientId, GatewayId, Micros, PointId, Reading};
use registry::{EnteredValues, UnavailableNetworks};
use store::flash::FlashRecord;
use store::registry::Links;
use tokio::time::Instant;
use wire::alarms::AlarmRow;
use wire::control::CommandRow;
use wire::faults::FaultRow;

use crate::diagram::{SubstationSet, UtilityEntries, UtilityNetwork};
use crate::log::EventLog;
use crate::tags::OfClient;

/// The state of the database from which the process image is built.
pub(crate) struct Loaded {
    /// When the read started.
    pub(crate) began: Instant,
    /// Link states, and the newest receive time of each gateway.
    pub(crate) links: Links,
    pub(crate) last_seen: Vec<(GatewayId, Micros)>,
    pub(crate) latest: Vec<(PointId, Reading)>,
    pub(crate) streams: Vec<(ClientId, String, i64)>,
    pub(crate) control: CommandsAndTags,
    /// The newest rows of each utility's streams; empty except in the first read.
    pub(crate) logs: Vec<LogsOf>,
}

/// The logs of a utility.
pub(crate) struct LogsOf {
    pub(crate) client: ClientId,
    pub(crate) events: EventLog,
    pub(crate) commands: EventLog<CommandRow>,
    pub(crate) alarms: EventLog<AlarmRow>,
    pub(crate) faults: EventLog<FaultRow>,
}

/// The streams of commands, the tags, and the versions of the areas of responsibility, as read from the database.
pub(crate) struct CommandsAndTags {
    pub(crate) streams: Vec<(ClientId, String, i64)>,
    pub(crate) tags: Vec<OfClient>,
    pub(crate) areas: Vec<(ClientId, i64)>,
    pub(crate) alarms: AlarmTops,
}

/// Missed changes of alarms or faults.
pub(crate) enum MissedAlarms {
    Alarms { client: ClientId, epoch: String, rows: Vec<Arc<AlarmRow>> },
    Faults { client: ClientId, epoch: String, rows: Vec<Arc<FaultRow>> },
}

/// The last offsets of the streams of alarms and faults in the database.
#[derive(Debug, Default)]
pub(crate) struct AlarmTops {
    pub(crate) alarms: Vec<(ClientId, String, i64)>,
    pub(crate) faults: Vec<(ClientId, String, i64)>,
}

/// Results of reads for diagrams.
#[derive(Debug)]
pub(crate) enum DiagramNews {
    /// Drawings that changed.
    Drawings(Vec<Drawn>),
    /// Flashing points, and the substations for which they were read.
    Flashes(SubstationSet, Vec<FlashRecord>),
    /// The networks of all utilities, the utilities whose active network is not in memory, and the values that users have entered.
    Networks(Vec<UtilityNetwork>, Arc<UnavailableNetworks>, EnteredValues),
    /// With the same networks as before: what users have entered for the equipment of some, the utilities whose active network is not in memory, and the values
    /// that users have entered at all utilities.
    Entries(Vec<UtilityEntries>, Arc<UnavailableNetworks>, EnteredValues),
}
