//! Commands: each decision about one is a transaction of its own, behind a lock on the utility's commands. What it reads there stays so until it is written,
//! and what it writes (the audit, the states with their offsets, the reservation, the ticket) holds or falls together.
//!
//! What follows from a decision (an order to a gateway, news to hubs) is done after the COMMIT, by whoever asked for it.

mod facts;
mod list;
mod service;
mod tag_row;
mod tags;
mod write;

use std::time::{Duration, Instant, SystemTime};

use grid::command::{CommandRecord, TagRecord};
use grid::control::machine::{Command, Effect, Step};
use grid::control::{CommandId, Mode};
use grid::position::Encoding;
use grid::{AssetId, ClientId, GatewayId, LinkState, MemberId, Micros, NodeId, PointId, Reading};
use serde_json::Value;

pub(crate) use list::command;
pub use service::{OpenCommand, StatusPoint};
pub use tags::{NewTag, TagChange};

/// A controllable point under the lock, and the command that has it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Site {
    /// The time, by the database's clock, which is the same to every api.
    pub now: Micros,
    /// An id that no command has.
    pub fresh: CommandId,
    /// The utility's code, which is the Sparkplug group.
    pub group: String,
    /// The utility's document.
    pub config: Value,
    /// The point.
    pub point: PointId,
    /// What is operated.
    pub asset: AssetId,
    /// Its name.
    pub asset_name: String,
    /// The class drawn.
    pub class_name: String,
    /// The substation.
    pub location: NodeId,
    /// Whether it may be operated directly.
    pub control_asset_req: bool,
    /// Whether it may be selected before operate.
    pub is_sbo_supported: bool,
    /// The gateway that reports it.
    pub gateway: GatewayId,
    /// The Sparkplug edge node.
    pub gateway_code: String,
    /// Whether the database holds it for born; `None` when it has never been heard.
    pub gateway_link: Option<LinkState>,
    /// The Sparkplug device.
    pub device: String,
    /// Whether the database holds it for born; `None` where the gateway never reported it.
    pub device_link: Option<LinkState>,
    /// The metric within the device.
    pub metric: String,
    /// How the position is encoded; `None` for a measurand.
    pub encoding: Option<Encoding>,
    /// How often a value is expected, ms.
    pub expected_ms: Option<i64>,
    /// The newest value that is durable.
    pub latest: Option<Reading>,
    /// Who has it.
    pub held: Option<Held>,
}

/// The command that has a point. Its deadline is in milliseconds of the database's clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The command.
    pub command: Command,
    /// Whose, by name.
    pub operator: String,
}

/// Who asks, for what, as far as the database has to look something up for it.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The session that asks.
    pub session: i64,
    /// The time by the asking api's clock: tickets were given by it.
    pub now: Micros,
    /// The position asked for, if a ticket may be bound to one.
    pub direction: Option<i16>,
    /// The request's key.
    pub key: Option<Key>,
    /// How far back operations of the point are counted, ms.
    pub window_ms: i64,
}

/// By what a request is known that comes a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// SHA-256 of it.
    pub hash: [u8; 32],
    /// How long it counts, ms; `None` for a key that the client made itself.
    pub good_for_ms: Option<i64>,
}

/// What else bears on a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Circumstances {
    /// Who asks, as they are now; `None` when their session is over.
    pub caller: Option<CallerNow>,
    /// Other devices of the substation that somebody has: id, name, Sparkplug device.
    pub busy: Vec<(AssetId, String, String)>,
    /// The tags at the substation.
    pub tags: Vec<TagRecord>,
    /// When the newest order to operate went out.
    pub last: Option<Micros>,
    /// How many did within the window, since who asks has signed in.
    pub often: u32,
    /// When the newest ended in doubt, if it did.
    pub doubt: Option<Micros>,
    /// A ticket that is good for this.
    pub ticket: Option<i64>,
    /// Switches of the substation whose newest order ended in doubt, and when.
    pub doubts: Vec<(PointId, Micros)>,
    /// The newest durable values of the substation.
    pub readings: Vec<(PointId, Reading)>,
    /// The same request, made before.
    pub known: Option<Known>,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerNow {
    /// The person.
    pub member: MemberId,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role_id: i32,
    /// The node they are confined to.
    pub node: Option<NodeId>,
    /// Whether they may operate.
    pub can_operate: bool,
    /// Whether this is the demo user.
    pub demo: bool,
    /// When they signed in.
    pub begun: Micros,
}

/// A request made before, and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// What it was for.
    pub action: String,
    /// Its command, as it is now.
    pub command: CommandRecord,
    /// What the refusal said, if it was refused.
    pub refusal: Option<Value>,
}

/// A command to be entered with its first state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommand {
    /// Its id.
    pub id: CommandId,
    /// The mode.
    pub mode: Mode,
    /// The position that was seen, whatever it was.
    pub from: i16,
    /// The position that is wanted, whatever it is.
    pub to: i16,
    /// Whose.
    pub member: MemberId,
    /// By name.
    pub operator: String,
    /// In which session.
    pub session: i64,
    /// Why, in their words.
    pub reason: String,
    /// No real device moves.
    pub simulated: bool,
}

/// What was decided.
#[derive(Debug)]
pub struct Decision<T> {
    /// The step of the machine; `None` when nothing is to change.
    pub step: Option<Step>,
    /// The command that begins with it, refused or not.
    pub begins: Option<NewCommand>,
    /// The ticket that is spent.
    pub spends: Option<i64>,
    /// What the request is remembered by: key, command, what it was for and what the refusal says.
    pub remembers: Option<(Key, CommandId, &'static str, Option<Value>)>,
    /// What the audit is told: action, subject, before, after.
    pub audit: Option<(&'static str, String, Value, Value)>,
    /// For who asked.
    pub told: T,
}

/// When a decision was made, by a clock that nobody sets and by the one on the wall: the first stands still in a machine that is suspended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    steady: Instant,
    wall: SystemTime,
}

impl Moment {
    /// This one.
    pub fn now() -> Self {
        Self { steady: Instant::now(), wall: SystemTime::now() }
    }

    /// How long ago that is, by the clock that says more.
    pub fn age(&self) -> Duration {
        self.steady.elapsed().max(self.wall.elapsed().unwrap_or_default())
    }

    /// The time on the wall.
    pub fn wall(&self) -> SystemTime {
        self.wall
    }
}

/// What a decision has changed, and what is to be done about it now.
#[derive(Debug, Clone, PartialEq)]
pub struct Committed {
    /// The utility.
    pub client: ClientId,
    /// Where it is: for orders to the gateway.
    pub site: Site,
    /// When it was decided: what follows may come much later, after a COMMIT that took its time.
    pub decided: Moment,
    /// Continuity of the utility's stream of commands.
    pub epoch: String,
    /// The offset before the first row.
    pub from: i64,
    /// The states that were reached, in offset order.
    pub rows: Vec<CommandRecord>,
    /// What to do, in order.
    pub effects: Vec<Effect>,
    /// The command that has the point now, and how long its state lasts, ms.
    pub holds: Option<(Command, i64)>,
}
