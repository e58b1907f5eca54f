//! What the database has, as readers bring it to the core.

use std::sync::Arc;

use drawing::picture::Drawn;
use grid::{ClientId, GatewayId, Micros, PointId, Reading};
use store::flash::FlashRecord;
use store::registry::Links;
use tokio::time::Instant;
use wire::alarms::AlarmRow;
use wire::control::CommandRow;
use wire::faults::FaultRow;

use crate::diagram::Wanted;
use crate::log::EventLog;
use crate::tags::OfClient;

/// The database's side of the picture.
pub(crate) struct Loaded {
    /// When the read began.
    pub(crate) began: Instant,
    /// Link states, and when each gateway was last heard.
    pub(crate) links: Links,
    pub(crate) last_seen: Vec<(GatewayId, Micros)>,
    pub(crate) latest: Vec<(PointId, Reading)>,
    pub(crate) streams: Vec<(ClientId, String, i64)>,
    pub(crate) control: OfControl,
    /// The newest rows of each utility's streams; at the start alone.
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

/// The streams of commands and the tags, as the database has them.
pub(crate) struct OfControl {
    pub(crate) streams: Vec<(ClientId, String, i64)>,
    pub(crate) tags: Vec<OfClient>,
    pub(crate) alarms: AlarmTops,
}

/// Changes of alarms or faults that were missed.
pub(crate) enum MissedAlarms {
    Alarms { client: ClientId, epoch: String, rows: Vec<Arc<AlarmRow>> },
    Faults { client: ClientId, epoch: String, rows: Vec<Arc<FaultRow>> },
}

/// Where the streams of alarms and faults stand by the database.
#[derive(Debug, Default)]
pub(crate) struct AlarmTops {
    pub(crate) alarms: Vec<(ClientId, String, i64)>,
    pub(crate) faults: Vec<(ClientId, String, i64)>,
}

/// What was read for diagrams.
#[derive(Debug)]
pub(crate) enum DiagramNews {
    /// Drawings that are new.
    Drawings(Vec<Drawn>),
    /// What flashes, and where that was asked.
    Flashes(Wanted, Vec<FlashRecord>),
}
