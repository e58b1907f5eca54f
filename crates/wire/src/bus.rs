//! Messages from ingest to the hubs. They are internal: both ends are always of the same release.

use serde::{Deserialize, Serialize};

use crate::alarms::AlarmRow;
use crate::control::{CommandRow, TagRow};
use crate::faults::FaultRow;
use crate::rows::EventRow;

/// A new value of one point, not yet durable. Only for delivery class `latest`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The point.
    pub point: i64,
    /// The value; absent is absent.
    pub value: Option<f64>,
    /// Quality code as the device reported it.
    pub quality: u8,
    /// Source time, µs.
    pub source: i64,
    /// Receive time, µs.
    pub received: i64,
    /// The leadership term of ingest, see `grid::Ordinal`.
    pub epoch: i64,
    /// The place within that term.
    pub seq: i64,
}

/// What travels on the bus. One message belongs to one utility.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BusMessage {
    /// New values, sent before the database has them.
    Changes {
        /// The utility.
        client: i64,
        /// In the order of receipt.
        changes: Vec<Change>,
    },
    /// Event rows, sent after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Events {
        /// The utility.
        client: i64,
        /// Continuity of the utility's event stream.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// In offset order.
        rows: Vec<EventRow>,
    },
    /// A gateway was born or died.
    Gateway {
        /// The utility.
        client: i64,
        /// The gateway.
        gateway: i64,
        /// Whether it is online.
        online: bool,
        /// Since when, µs, by ingest's clock. It orders nothing.
        since: i64,
        /// The place of the state among the gateway's states: the leadership term of ingest and its count within the term.
        order: (i64, i64),
        /// False if the state only confirms the one before. An ingest of an earlier release reports changes only.
        #[serde(default = "is_change")]
        changed: bool,
    },
    /// A gateway has told that one of its devices came or went.
    Device {
        /// The utility.
        client: i64,
        /// The gateway.
        gateway: i64,
        /// The Sparkplug device.
        device: String,
        /// Whether it is there.
        online: bool,
        /// Since when, µs, by ingest's clock. It orders nothing.
        since: i64,
        /// The place of the state among the device's states: the leadership term of ingest and its count within the term.
        order: (i64, i64),
        /// False if the state is only reported again. An ingest of an earlier release reports changes only, or the same state again as a change.
        #[serde(default = "is_change")]
        changed: bool,
    },
    /// Points or gateways were discovered or changed: read the registry again.
    Registry {
        /// The utility.
        client: i64,
    },
    /// Rights of a person or session changed (sign-out, disable): drop what they no longer may have.
    Session {
        /// The utility.
        client: i64,
        /// The session that ended.
        session: i64,
    },
    /// Somebody has acknowledged changes in a substation, sent after COMMIT: read again what flashes there.
    Acknowledged {
        /// The utility.
        client: i64,
        /// The substation.
        location: i64,
    },
    /// A gateway has said what it does about a command. It is no value of the field: whoever minds commands decides what it means.
    CommandAnswer {
        /// The utility.
        client: i64,
        /// The gateway that answered.
        gateway: i64,
        /// The Sparkplug device.
        device: String,
        /// What is operated, as the metric names it.
        asset: String,
        /// The command's UUID.
        command: String,
        /// The gateway's word for where the command stands.
        state: String,
        /// AddCause, where it was refused.
        add_cause: Option<i64>,
        /// When it was received, µs.
        received: i64,
    },
    /// A gateway wants orders signed, and has told what belongs into what is signed; told at its birth and every few seconds from then on.
    CommandEpoch {
        /// The utility.
        client: i64,
        /// The gateway.
        gateway: i64,
        /// New at each of its boots.
        epoch: u64,
    },
    /// States of commands, sent after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Commands {
        /// The utility.
        client: i64,
        /// Continuity of the utility's stream of commands.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// In offset order.
        rows: Vec<CommandRow>,
    },
    /// The tags of a substation, all of them, sent after COMMIT.
    Tags {
        /// The utility.
        client: i64,
        /// The substation.
        location: i64,
        /// Counts up with each change of the utility's tags: an older list never takes the place of a newer one.
        version: i64,
        /// Those that hang there.
        tags: Vec<TagRow>,
    },
    /// Changes of alarms, sent after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Alarms {
        /// The utility.
        client: i64,
        /// Continuity of the utility's stream of alarms.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// In offset order.
        rows: Vec<AlarmRow>,
    },
    /// Changes of faults, sent after COMMIT; `rows` go from `from + 1` to `offset` without a gap.
    Faults {
        /// The utility.
        client: i64,
        /// Continuity of the utility's stream of faults.
        epoch: String,
        /// The offset before the first row.
        from: i64,
        /// The offset of the last row.
        offset: i64,
        /// In offset order.
        rows: Vec<FaultRow>,
    },
    /// The rules by which a utility's points raise alarms are others, sent after COMMIT.
    AlarmRules {
        /// The utility.
        client: i64,
    },
    /// The alarm service works for a utility: it holds the lead, and what it did last for it has succeeded. Sent every second.
    AlarmsAlive {
        /// The utility.
        client: i64,
    },
    /// Ingest works, sent every second by each one. Without it nothing that the hub shows of its gateways can be called live.
    Alive {
        /// The ingest's host id.
        ingest: String,
        /// The utilities whose gateways it takes; empty for all.
        clients: Vec<i64>,
        /// The share of their gateways that it takes, as number and count; none for all.
        share: Option<(u32, u32)>,
        /// The place among its link states since which messages reach it without interruption; what it reported before is unconfirmed.
        #[serde(default)]
        since: (i64, i64),
    },
}

fn is_change() -> bool {
    true
}

impl BusMessage {
    /// The utility that the message belongs to; 0 for a message that is of none.
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
