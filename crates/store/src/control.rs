//! Commands. Each decision about a command is one transaction, which locks the utility's commands. Rows that it reads cannot change before it commits. It
//! commits all its changes together: the audit entry, the states with their offsets, the reservation and the ticket.
//!
//! The caller acts on a decision after COMMIT: it sends the command to the gateway and publishes the states to the hubs.

mod areas;
mod facts;
mod known;
mod list;
mod locked;
mod rows;
mod service;
pub(crate) mod stream_lock;
mod tag_row;
mod tags;
mod write;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use grid::area::{OutsideArea, Place};
use grid::command::{CommandRecord, TagRecord};
use grid::control::machine::{Command, Effect, Step};
use grid::control::{CommandId, Mode};
use grid::position::Encoding;
use grid::{AssetId, ClientId, GatewayId, LinkState, MemberId, Micros, NodeId, PointId, Reading};
use serde_json::Value;

use crate::manual_entry::ManualEntry;
use crate::network::ActiveVersion;

pub use areas::{AreaChange, AreaRefusal, HandOver, SelectionEnd};
pub(crate) use facts::network_facts;
pub(crate) use known::Known;
pub(crate) use list::command;
pub(crate) use locked::Locked;
pub use service::{OpenCommand, StatusPoint};
pub use tags::{NewTag, TagChange};

/// A controllable point, read under the lock, and its unfinished command.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Site {
    /// Time by the database's clock, which is the same for every api.
    pub now: Micros,
    /// A new, unused command id.
    pub fresh: CommandId,
    /// Code of the utility, which is the Sparkplug group id.
    pub group: String,
    /// Configuration document of the utility.
    pub config: Value,
    /// Id of the point.
    pub point: PointId,
    /// Id of the asset to operate.
    pub asset: AssetId,
    /// Name of the asset.
    pub asset_name: String,
    /// Class of the symbol on diagrams.
    pub class_name: String,
    /// Id of the substation.
    pub location: NodeId,
    /// Whether the asset can be operated directly.
    pub control_asset_req: bool,
    /// Whether it can be operated by select before operate.
    pub is_sbo_supported: bool,
    /// Id of the gateway that reports the point.
    pub gateway: GatewayId,
    /// Sparkplug edge node id of the gateway.
    pub gateway_code: String,
    /// Stored link state of the gateway; `None` if it was never online.
    pub gateway_link: Option<LinkState>,
    /// Name of the Sparkplug device.
    pub device: String,
    /// Stored link state of the device; `None` if the gateway never reported it.
    pub device_link: Option<LinkState>,
    /// Metric name within the device.
    pub metric: String,
    /// Encoding of the position; `None` for a measurand.
    pub encoding: Option<Encoding>,
    /// Expected reporting interval, ms; `None` for report by exception.
    pub expected_ms: Option<i64>,
    /// The latest durable reading.
    pub latest: Option<Reading>,
    /// When the position last changed; `None` if no change is stored.
    pub last_change: Option<Micros>,
    /// The unfinished command of the point.
    pub held: Option<PointCommand>,
}

/// The unfinished command of a point. Its deadline is in milliseconds of the database's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointCommand {
    /// The command.
    pub command: Command,
    /// Name of the user who gave it.
    pub operator: String,
}

/// The caller of a request and the parts of the request that the database needs.
#[derive(Debug, Clone)]
pub struct Ask {
    /// Id of the caller's session.
    pub session: i64,
    /// Time by the clock of the caller's api, by which tickets were issued.
    pub now: Micros,
    /// The target position, to which a ticket can be limited; `None` if there is none.
    pub direction: Option<i16>,
    /// Idempotency key of the request.
    pub key: Option<Key>,
    /// Length of the time in which operations of the point are counted, ms.
    pub window_ms: i64,
    /// Number of operations within that time from which further operations of the point must wait.
    pub burst: i64,
    /// Points that the states of the active network depend on, of which there can be none; `None` without an active network, and to cancel.
    pub network: Option<Vec<PointId>>,
    /// The places of the switch in the areas of responsibility.
    pub places: Vec<Place>,
}

/// An idempotency key, by which a repeated request is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// SHA-256 of the key.
    pub hash: [u8; 32],
    /// SHA-256 of the content of the request.
    pub body: [u8; 32],
    /// How long the key is valid, ms; `None` for a key that the client created.
    pub good_for_ms: Option<i64>,
}

/// Further data on which a decision about a request depends.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandFacts {
    /// The caller with present permissions; `None` if the session has ended.
    pub caller: Option<CallerNow>,
    /// Set if the desk of the caller's session does not hold the area of the switch.
    pub outside_area: Option<OutsideArea>,
    /// Other devices of the substation that are reserved: id, name, Sparkplug device.
    pub busy: Vec<(AssetId, String, String)>,
    /// Tags in the substation.
    pub tags: Vec<TagRecord>,
    /// When the latest operation was sent to the gateway.
    pub last: Option<Micros>,
    /// If the number of operations within the window, since the caller signed in, is at its limit: when the operation that reached the limit was sent.
    /// Otherwise `None`.
    pub often_since: Option<Micros>,
    /// When the latest operation ended without a known outcome; `None` if its outcome is known.
    pub doubt: Option<Micros>,
    /// A valid ticket for this operation.
    pub ticket: Option<i64>,
    /// Switches of the substation whose latest operation ended without a known outcome, and when.
    pub doubts: Vec<(PointId, Micros)>,
    /// The latest durable readings of the substation.
    pub readings: Vec<(PointId, Reading)>,
    /// The first request with the same idempotency key.
    pub earlier: Option<EarlierRequest>,
    /// The active version of the utility's network, and the time from which it is active; `None` if no version is active.
    pub active_network: Option<ActiveVersion>,
    /// The numbers of the current temporary changes of the utility, in order.
    pub temporary: Vec<i64>,
    /// What is read of the whole network.
    pub network: NetworkFacts,
}

/// Data outside of the substation on which a decision depends; empty if the switch belongs to no active network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NetworkFacts {
    /// The latest durable readings of the network's points.
    pub readings: Vec<(PointId, Reading)>,
    /// Switches whose latest operation ended without a known outcome, and when.
    pub doubts: Vec<(PointId, Micros)>,
    /// Switches with a command that was sent and has not ended.
    pub moving: Vec<PointId>,
    /// All tags of the utility.
    pub tags: Vec<TagRecord>,
    /// The current manual entries of the utility.
    pub manual: Arc<Vec<ManualEntry>>,
}

/// The caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerNow {
    /// Id of the user.
    pub member: MemberId,
    /// Name of the user.
    pub name: String,
    /// Role of the user.
    pub role_id: i32,
    /// The node to whose area the user is limited.
    pub node: Option<NodeId>,
    /// Whether the user has the permission to operate devices.
    pub can_operate: bool,
    /// Whether this is the demo user.
    pub demo: bool,
    /// When the user signed in.
    pub signed_in: Micros,
}

/// An earlier request with the same idempotency key, and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct EarlierRequest {
    /// The action of the request.
    pub action: String,
    /// The command of the request, in its present state.
    pub command: CommandRecord,
    /// Body of the refusal, if it was refused.
    pub refusal: Option<Value>,
    /// Whether it had the same content.
    pub same_content: bool,
}

/// A command to store with its first state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommand {
    /// Id of the command.
    pub id: CommandId,
    /// Mode of the command.
    pub mode: Mode,
    /// The position that the user saw, as a raw number.
    pub from: i16,
    /// The target position, as a raw number.
    pub to: i16,
    /// Id of the user.
    pub member: MemberId,
    /// Name of the user.
    pub operator: String,
    /// Id of the session.
    pub session: i64,
    /// Reason given by the user.
    pub reason: String,
    /// Whether the field is simulated, so that no real device moves.
    pub simulated: bool,
}

/// A decision about a command, to be stored.
#[derive(Debug)]
pub struct Decision<T> {
    /// The step of the state machine; `None` if nothing changes.
    pub step: Option<Step>,
    /// The command that is created, refused or not.
    pub begins: Option<NewCommand>,
    /// Id of the ticket that is used up.
    pub spends: Option<i64>,
    /// The data to store for the idempotency key: key, command, action and body of a refusal.
    pub remembers: Option<(Key, CommandId, &'static str, Option<Value>)>,
    /// The audit entry: action, subject, before, after.
    pub audit: Option<(&'static str, String, Value, Value)>,
    /// The answer for the caller.
    pub outcome: T,
}

/// The time of a decision, by the monotonic and the wall clock. The monotonic clock does not advance while a machine is suspended, and the wall clock can be
/// set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    steady: Instant,
    wall: SystemTime,
}

impl Moment {
    /// Returns the present time.
    pub fn now() -> Self {
        Self { steady: Instant::now(), wall: SystemTime::now() }
    }

    /// Returns the time since this moment: the larger of the differences of the two clocks.
    pub fn age(&self) -> Duration {
        self.steady.elapsed().max(self.wall.elapsed().unwrap_or_default())
    }

    /// Returns the time by the wall clock.
    pub fn wall(&self) -> SystemTime {
        self.wall
    }
}

/// A committed decision and the actions that follow from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed {
    /// Id of the utility.
    pub client: ClientId,
    /// The operated point, for messages to its gateway.
    pub site: Site,
    /// When it was decided. A slow COMMIT can delay the actions.
    pub decided: Moment,
    /// Epoch of the utility's stream of commands.
    pub epoch: String,
    /// The offset before the first row.
    pub from: i64,
    /// The new states in the order of the offsets.
    pub rows: Vec<CommandRecord>,
    /// The actions, in order.
    pub effects: Vec<Effect>,
    /// The unfinished command of the point after the decision, and how long its state is valid, ms.
    pub holds: Option<(Command, i64)>,
}
