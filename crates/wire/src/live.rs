//! Messages of the live socket, namespace `/live` (docs/reference/live.md). All times are epoch milliseconds.

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
    /// The latest value of each point is delivered; earlier values can be skipped.
    Latest,
    /// Each row is delivered once, in order.
    Every,
}

/// A position in a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = Place))]
pub struct StreamPosition {
    /// Epoch of the stream. A new epoch means that earlier offsets cannot be compared.
    pub epoch: String,
    /// Offset, increasing within an epoch.
    pub offset: i64,
}

/// A value on a diagram as a tuple: point id, value (null if absent), quality code, source time in epoch ms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PointValue(pub i64, pub Option<f64>, pub u8, pub i64);

/// The state of a node of a diagram as a tuple: number of the node in the served drawing; 0 unknown, 1 energised, 2 dead (connected to no known source), 3
/// earthed, 4 conflict (earthed and energised).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct NodeState(pub usize, pub u8);

/// A node of the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NetworkNodeRow<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its state, as in a diagram.
    pub state: u8,
}

/// A point that flashes until it is acknowledged, as a tuple: point id; `change`, or `trip` (a breaker opened by protection or by an unknown cause); source
/// time in epoch ms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Flash(pub i64, pub FlashKind, pub i64);

/// Why a point flashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FlashKind {
    /// The status of the point changed.
    Change,
    /// The breaker tripped.
    Trip,
}

/// Message `subscribe` from the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Subscribe {
    /// Name of the stream, such as `sld/17`, `events/division/4`, `loadcurrent/location/17` or `comms/client/1`.
    pub stream: String,
    /// The position after which the client continues; absent for a snapshot.
    pub since: Option<StreamPosition>,
}

/// Message `unsubscribe` from the client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Unsubscribe {
    /// Name of the stream.
    pub stream: String,
}

/// Message `reauth` from the client, and `auth` of the CONNECT packet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Credentials {
    /// The access token.
    pub token: String,
}

/// The complete state of a stream, for a client that subscribes without a usable offset.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Snapshot {
    /// `sld/…`
    Points {
        /// Every point of the diagram.
        points: Vec<PointValue>,
        /// All tags of the devices in the diagram.
        #[serde(default)]
        tags: Vec<TagRow>,
        /// Every node of the diagram; empty without a drawing, or before it is loaded.
        #[serde(default)]
        nodes: Vec<NodeState>,
        /// The version of the wiring to which `nodes` refers, as in the served drawing. The node numbers are not valid for another drawing. Null without nodes.
        #[serde(default)]
        wiring: Option<String>,
        /// All flashing points.
        #[serde(default)]
        flashes: Vec<Flash>,
        /// Whether the active network of the utility is not in memory: it is being loaded, or cannot be used. The states of all nodes are unknown until it is.
        #[serde(rename = "networkUnavailable", default)]
        network_unavailable: bool,
    },
    /// `events/…`, newest first.
    Events {
        /// The last rows, at most 200.
        rows: Vec<EventRow>,
        /// Since when events are kept; ISO 8601 UTC. Absent if there are earlier rows, or if events are kept for ever.
        #[serde(rename = "keptSince", default, skip_serializing_if = "Option::is_none")]
        kept_since: Option<String>,
    },
    /// `loadcurrent/…`
    LoadCurrents {
        /// One row for each feeder.
        rows: Vec<LoadCurrentRow>,
    },
    /// `comms/…`
    Gateways {
        /// One row for each gateway.
        rows: Vec<GatewayRow>,
    },
    /// `alarms/…`, ordered by priority, then newest first.
    Alarms {
        /// All alarms that are not normal.
        rows: Vec<AlarmRow>,
    },
    /// `faults/…`, newest first.
    Faults {
        /// Open faults, and the faults of the last 24 hours.
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
        /// One row for each quantity.
        rows: Vec<ReadingRow>,
    },
    /// `overview/…`
    Overview {
        /// One row for each substation.
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
    /// Epoch of the stream.
    pub epoch: String,
    /// Offset of the stream after `snapshot` or `missed`.
    pub offset: i64,
    /// The complete state, if the client cannot continue from its offset. It is encoded once for all clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Snapshot>))]
    pub snapshot: Option<Box<RawValue>>,
    /// The rows after the client's offset, oldest first, if the client can continue from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<EventRow>>))]
    pub missed: Option<Box<RawValue>>,
}

/// The answer to a `subscribe` or `reauth` that was refused.
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

/// Message `delta` from the server: the changes after the offset `from`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Delta<T> {
    /// Name of the stream.
    pub stream: String,
    /// Epoch of the stream.
    pub epoch: String,
    /// The offset before this delta. A client with another offset subscribes again.
    pub from: i64,
    /// The offset after this delta.
    pub offset: i64,
    /// Changed points of a diagram.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<PointValue>>,
    /// All tags of a diagram, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<TagRow>>,
    /// Nodes of a diagram whose state changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<NodeState>>,
    /// With `nodes`: the version of the wiring to which they refer, as in the served drawing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wiring: Option<String>,
    /// With `nodes`: whether the active network of the utility is not in memory, as in the snapshot.
    #[serde(rename = "networkUnavailable", default, skip_serializing_if = "Option::is_none")]
    pub network_unavailable: Option<bool>,
    /// All flashing points of a diagram, if they changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flashes: Option<Vec<Flash>>,
    /// Changed rows of a table; new rows of a list, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<T>>,
    /// All columns of a table whose columns depend on the points, after points were added or changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<Column>>,
}

/// Message `heartbeat` from the server, sent every second.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Heartbeat {
    /// Time by the server's clock.
    pub server_time: i64,
    /// The current offset of each stream that the client has subscribed to. With it a client detects lost messages when no others follow.
    pub offsets: BTreeMap<String, i64>,
    /// Whether the alarm service published a heartbeat for this utility within the last three seconds. If not, an empty list of alarms does not mean that there
    /// are no alarms.
    #[serde(rename = "alarmsWorking", default)]
    pub alarms_working: bool,
}

/// Message `ended` from the server, sent before it closes the socket.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Ended {
    /// Reason: `slow`, `unauthorised`, `shutdown`, `rate` or `too_large`.
    pub code: String,
    /// Details for the log.
    pub message: String,
    /// Whether a reconnect can succeed.
    pub retry: bool,
}
