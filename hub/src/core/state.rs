//! The state of the core.

use std::collections::HashMap;

use grid::ClientId;
use registry::Registry;
use wire::control::CommandRow;

use super::areas::Areas;
use super::logs::AlarmLogs;
use crate::config::HubConfig;
use crate::diagram::Watch;
use crate::heartbeats::Heartbeats;
use crate::image::Image;
use crate::leases::ValidLeases;
use crate::log::EventLog;
use crate::losses::Losses;
use crate::reader::Reader;
use crate::rooms::Rooms;

/// The core's state.
pub(crate) struct Core {
    pub(super) config: HubConfig,
    pub(super) image: Image,
    pub(super) registry: Registry,
    pub(super) loaded: bool,
    pub(super) rooms: Rooms,
    pub(super) logs: HashMap<ClientId, EventLog>,
    pub(super) commands: HashMap<ClientId, EventLog<CommandRow>>,
    pub(super) alarms: AlarmLogs,
    pub(super) areas: Areas,
    pub(super) epoch: String,
    /// The highest offset that any removed room has reached.
    pub(super) highest: i64,
    pub(super) reader: Reader,
    pub(super) watch: Watch,
    pub(super) leases: ValidLeases,
    pub(super) heartbeats: Heartbeats,
    pub(super) losses: Losses,
}
