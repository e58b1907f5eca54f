//! Messages of the live socket, namespace /live (live.md section 3). All times are epoch milliseconds.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

use crate::alarms::AlarmRow;
use crate::control::{CommandRow, TagRow};
use crate::faults::FaultRow;
use crate::overview::OverviewRow;
use crate::rows::{Column, EventRow, GatewayRow, LoadCurrentRow};
use crate::tables::{ReadingRow, TableRows};

/// How a stream is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// Only the newest value of each point matters; older ones may be skipped.
    Latest,
    /// Every row arrives, once, in order.
    Every,
}

/// A position in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Place {
    /// Changes whenever continuity cannot be shown.
    pub epoch: String,
    /// Counts up within an epoch.
    pub offset: i64,
}

/// A value on a diagram as a tuple: point id, value (null when absent), quality code, source time in epoch ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PointValue(pub i64, pub Option<f64>, pub u8, pub i64);

/// The state of a node of a diagram as a tuple: its number in the served drawing; 0 unknown, 1 energised, 2 dead (connected to no known source), 3 earthed,
/// 4 conflict (earthed and live).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NodeState(pub usize, pub u8);

/// A point that flashes until it is acknowledged, as a tuple: point id, `change` or `trip` (a breaker opened by protection or by an unknown cause), source time
/// in epoch ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Flash(pub i64, pub FlashKind, pub i64);

/// How a point flashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FlashKind {
    /// Its status has changed.
    Change,
    /// A breaker has tripped.
    Trip,
}

/// `subscribe`, from the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Subscribe {
    /// Such as `sld/17`, `events/division/4`, `loadcurrent/location/17`, `comms/client/1`.
    pub stream: String,
    /// The offset at which the client stopped, to continue from there.
    pub since: Option<Place>,
}

/// `unsubscribe`, from the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Unsubscribe {
    /// The stream to leave.
    pub stream: String,
}

/// `reauth` and the CONNECT packet's auth, from the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Credentials {
    /// The access token.
    pub token: String,
}

/// The state of a stream when a client joins it without a usable offset.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Snapshot {
    /// `sld/…`
    Points {
        /// Every point of the diagram.
        points: Vec<PointValue>,
        /// The tags of its devices.
        #[serde(default)]
        tags: Vec<TagRow>,
        /// Every node of the diagram; empty while its drawing has not been read, or without one.
        #[serde(default)]
        nodes: Vec<NodeState>,
        /// The mark of the wiring that the nodes are of, as the served drawing has it: to another drawing they mean nothing. Null without nodes.
        #[serde(default)]
        wiring: Option<String>,
        /// What flashes.
        #[serde(default)]
        flashes: Vec<Flash>,
    },
    /// `events/…`, newest first.
    Events {
        /// At most the last 200.
        rows: Vec<EventRow>,
    },
    /// `loadcurrent/…`
    LoadCurrents {
        /// A row a feeder.
        rows: Vec<LoadCurrentRow>,
    },
    /// `comms/…`
    Gateways {
        /// A row a gateway.
        rows: Vec<GatewayRow>,
    },
    /// `alarms/…`, the most urgent and newest first.
    Alarms {
        /// All that are not normal.
        rows: Vec<AlarmRow>,
    },
    /// `faults/…`, newest first.
    Faults {
        /// Open ones, and those of the last 24 hours.
        rows: Vec<FaultRow>,
    },
    /// `commands/…`, newest first.
    Commands {
        /// The commands of the last hour in their latest states, at most 200.
        rows: Vec<CommandRow>,
    },
    /// `energy/…`, `pq/…`, `assets/…`
    Table(TableRows),
    /// `readings/…`
    Readings {
        /// A row a quantity.
        rows: Vec<ReadingRow>,
    },
    /// `overview/…`
    Overview {
        /// A row a substation.
        rows: Vec<OverviewRow>,
    },
}

/// The answer to `subscribe`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Subscribed {
    /// Always true; a refusal is [`Refused`].
    pub ok: bool,
    /// How the stream is delivered.
    pub class: Class,
    /// The stream's epoch.
    pub epoch: String,
    /// The offset after `snapshot` or `missed`.
    pub offset: i64,
    /// Present when the client has to start afresh. Encoded once and shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Snapshot>))]
    pub snapshot: Option<Box<RawValue>>,
    /// Present if the client continues from its offset: the rows in between, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<EventRow>>))]
    pub missed: Option<Box<RawValue>>,
}

/// The answer to a `subscribe` or `reauth` that is refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Refused {
    /// Always false.
    pub ok: bool,
    /// `unauthorised`, `unknown_stream`, `bad_request`, `too_many`, `unavailable`.
    pub code: String,
    /// What is wrong and what is allowed.
    pub message: String,
}

/// `delta`, from the server: continues the offset `from`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Delta<T> {
    /// The stream.
    pub stream: String,
    /// Its epoch.
    pub epoch: String,
    /// The offset that this delta continues; a client with another offset subscribes again.
    pub from: i64,
    /// The offset after this delta.
    pub offset: i64,
    /// Points of a diagram.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<PointValue>>,
    /// All tags of a diagram, when they are others than before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<TagRow>>,
    /// Nodes of a diagram whose state is another now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeState>>,
    /// With `nodes`: the mark of the wiring that they are of, as the served drawing has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wiring: Option<String>,
    /// All flashing points of a diagram, if they have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flashes: Option<Vec<Flash>>,
    /// Rows of a table; oldest first for events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<T>>,
    /// With rows of a table whose columns depend on the points, after points were added or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<Column>>,
}

/// `heartbeat`, from the server, every second.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Heartbeat {
    /// The server's clock.
    pub server_time: i64,
    /// The top of each stream that this client has joined, so that a lost tail is noticed without traffic.
    pub offsets: BTreeMap<String, i64>,
    /// Whether the alarm service has published a heartbeat within the last three seconds and works for this utility. Without it an empty list of alarms means
    /// nothing.
    #[serde(rename = "alarmsWorking", default)]
    pub alarms_working: bool,
}

/// `ended`, from the server, before it closes the socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Ended {
    /// `slow`, `unauthorised`, `shutdown`, `rate`, `too_large`.
    pub code: String,
    /// For the log.
    pub message: String,
    /// Whether a reconnect can succeed.
    pub retry: bool,
}
