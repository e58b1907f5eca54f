//! Messages from ingest to the hubs. They are internal: sender and receiver always have the same release.

use serde::{Deserialize, Serialize};

use crate::alarms::AlarmRow;
use crate::control::{CommandRow, TagRow};
use crate::faults::FaultRow;
use crate::rows::EventRow;

/// A new value of one point, not yet durable. Only for delivery class `latest`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Id of the point.
    pub point: i64,
    /// The value; `None` if it is absent.
    pub value: Option<f64>,
    /// Quality code as the device reported it.
    pub quality: u8,
    /// Source time, µs.
    pub source: i64,
    /// Receive time, µs.
    pub received: i64,
    /// The leadership term of ingest, see `grid::Ordinal`.
    pub epoch: i64,
    /// The number of the change within that term.
    pub seq: i64,
}

/// A message on the bus. It belongs to one utility.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BusMessage {
    /// New values, published before they are durable.
    Changes {
        /// Id of the utility.
        client: i64,
        /// In the order of receipt.
        changes: Vec<Change>,
    },
    /// Event rows, published after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Events {
        /// Id of the utility.
        client: i64,
        /// Epoch of the utility's event stream.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// Rows in the order of the offsets.
        rows: Vec<EventRow>,
    },
    /// The birth or death of a gateway.
    Gateway {
        /// Id of the utility.
        client: i64,
        /// Id of the gateway.
        gateway: i64,
        /// Whether it is online.
        online: bool,
        /// When the state began, µs, by ingest's clock. Do not use it to order states.
        since: i64,
        /// Position among the gateway's states: the leadership term of ingest and the count within the term.
        order: (i64, i64),
        /// False if the state only confirms the previous one. An ingest of an earlier release publishes changes only.
        #[serde(default = "is_change")]
        changed: bool,
    },
    /// The birth or death of a device, as its gateway reports it.
    Device {
        /// Id of the utility.
        client: i64,
        /// Id of the gateway.
        gateway: i64,
        /// The Sparkplug device.
        device: String,
        /// Whether the device is online.
        online: bool,
        /// When the state began, µs, by ingest's clock. Do not use it to order states.
        since: i64,
        /// Position among the device's states: the leadership term of ingest and the count within the term.
        order: (i64, i64),
        /// False if the state only confirms the previous one. An ingest of an earlier release publishes changes only, or repeats a state as a change.
        #[serde(default = "is_change")]
        changed: bool,
    },
    /// Points or gateways were discovered or changed. The receiver loads the registry again.
    Registry {
        /// Id of the utility.
        client: i64,
    },
    /// The rights of a session changed, because the user signed out or was disabled. The receiver ends its subscriptions that are no longer permitted.
    Session {
        /// Id of the utility.
        client: i64,
        /// Id of the session that ended.
        session: i64,
    },
    /// A user acknowledged changes in a substation, published after COMMIT. The receiver loads the flashing points of the substation again.
    Acknowledged {
        /// Id of the utility.
        client: i64,
        /// Id of the substation.
        location: i64,
    },
    /// The answer of a gateway to a command. It is not a telemetry value; the receivers of command answers interpret it.
    CommandAnswer {
        /// Id of the utility.
        client: i64,
        /// The gateway that answered.
        gateway: i64,
        /// The Sparkplug device.
        device: String,
        /// Code of the operated asset, as in the metric name.
        asset: String,
        /// The command's UUID.
        command: String,
        /// The state of the command as text, in the gateway's spelling.
        state: String,
        /// AddCause of IEC 61850-7-2, if the command was refused.
        add_cause: Option<i64>,
        /// When it was received, µs.
        received: i64,
    },
    /// A gateway requires signed commands and reports the epoch that the signature covers. It reports it at its birth and every few seconds.
    CommandEpoch {
        /// Id of the utility.
        client: i64,
        /// Id of the gateway.
        gateway: i64,
        /// Changes each time the gateway restarts.
        epoch: u64,
    },
    /// States of commands, published after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Commands {
        /// Id of the utility.
        client: i64,
        /// Epoch of the utility's stream of commands.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// Rows in the order of the offsets.
        rows: Vec<CommandRow>,
    },
    /// All tags of a substation, published after COMMIT.
    Tags {
        /// Id of the utility.
        client: i64,
        /// Id of the substation.
        location: i64,
        /// Increases with each change of the utility's tags. The receiver ignores a list with a lower version than its own.
        version: i64,
        /// All tags in the substation.
        tags: Vec<TagRow>,
    },
    /// The areas of responsibility changed, published after COMMIT.
    Areas {
        /// Id of the utility.
        client: i64,
        /// Raised with each change.
        version: i64,
    },
    /// Changes of alarms, published after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Alarms {
        /// Id of the utility.
        client: i64,
        /// Epoch of the utility's stream of alarms.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// Rows in the order of the offsets.
        rows: Vec<AlarmRow>,
    },
    /// Changes of faults, published after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Faults {
        /// Id of the utility.
        client: i64,
        /// Epoch of the utility's stream of faults.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// Rows in the order of the offsets.
        rows: Vec<FaultRow>,
    },
    /// The alarm rules of a utility's points changed, published after COMMIT.
    AlarmRules {
        /// Id of the utility.
        client: i64,
    },
    /// Heartbeat of the alarm service for a utility, published every second: it holds the lease, and its last work for this utility succeeded.
    AlarmsAlive {
        /// Id of the utility.
        client: i64,
    },
    /// Heartbeat of an ingest, published every second. Without it no value of its gateways is live.
    Alive {
        /// The ingest's host id.
        ingest: String,
        /// Ids of the utilities whose gateways it takes; empty for all.
        clients: Vec<i64>,
        /// The share of their gateways that it takes, as number and count; `None` for all.
        share: Option<(u32, u32)>,
        /// Position among its link states since which it has received all messages without interruption. States before it are unconfirmed.
        #[serde(default)]
        since: (i64, i64),
    },
}

fn is_change() -> bool {
    true
}

impl BusMessage {
    /// Returns the utility that the message belongs to; 0 for [`Self::Alive`], which belongs to none.
    pub fn client(&self) -> i64 {
        match self {
            Self::Changes { client, .. }
            | Self::Events { client, .. }
            | Self::Gateway { client, .. }
            | Self::Device { client, .. }
            | Self::Registry { client }
            | Self::CommandAnswer { client, .. }
            | Self::CommandEpoch { client, .. }
            | Self::Commands { client, .. }
            | Self::Tags { client, .. }
            | Self::Areas { client, .. }
            | Self::Alarms { client, .. }
            | Self::Faults { client, .. }
            | Self::AlarmRules { client }
            | Self::AlarmsAlive { client }
            | Self::Acknowledged { client, .. }
            | Self::Session { client, .. } => *client,
            Self::Alive { .. } => 0,
        }
    }
}
