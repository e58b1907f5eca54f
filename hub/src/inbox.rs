//! Messages to the core from sessions and readers.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use auth::Principal;
use grid::{AssetId, ClientId, PointId, Reading};
use store::day::DayExtremes;
use store::registry::Links;
use tokio::sync::oneshot;
use wire::control::CommandRow;
use wire::live::{StreamPosition, Subscribed};

use crate::connection::ConnectionId;
use crate::loaded::{CommandsAndTags, DiagramNews, Loaded, MissedAlarms};
use crate::outbox::Outbox;
use crate::row::SharedRow;
use crate::stream::Stream;
use crate::subscription::Joined;

/// Maximum number of commands that wait for the core. At the limit, the sender waits, which slows down only its client.
pub(crate) const INBOX: usize = 4_096;
/// A message to the core.
pub(crate) enum Command {
    /// A client subscribes. If the core can answer at once, it queues the answer in the outbox before any later change.
    Join {
        id: ConnectionId,
        outbox: Arc<Outbox>,
        principal: Box<Principal>,
        name: String,
        since: Option<StreamPosition>,
        /// The id of the acknowledgement that the client expects.
        ack: Option<u64>,
        answer: oneshot::Sender<Joined>,
    },
    /// The rows that a subscriber has missed, or its snapshot, are read. The core answers the client and sends the rows that were held for
    /// it meanwhile, so that nothing comes between the two, and no heartbeat has an offset that the client does not know yet.
    Release { id: ConnectionId, stream: Stream, position: Arc<AtomicI64>, outbox: Arc<Outbox>, ack: Option<u64>, answer: Arc<Subscribed> },
    /// A client unsubscribes.
    Leave { id: ConnectionId, stream: Stream },
    /// The outbox of a client has room again. Contains the streams whose deltas were left out.
    Behind { outbox: Arc<Outbox>, streams: Vec<Stream> },
    /// The registry, the latest readings and the event streams, as read from the database.
    Loaded(Box<Loaded>),
    /// Readings that the database has received since the last comparison, and the last offsets of its event streams.
    Reconciled { latest: Vec<(PointId, Reading)>, links: Links, streams: Vec<(ClientId, String, i64)>, control: CommandsAndTags },
    /// Missed event rows; `epoch` is the current one of the database.
    Recovered { client: ClientId, epoch: String, rows: Vec<SharedRow> },
    /// Missed states of commands.
    RecoveredCommands { client: ClientId, epoch: String, rows: Vec<Arc<CommandRow>> },
    /// Missed changes of alarms or faults.
    RecoveredAlarms(MissedAlarms),
    /// Drawings or flashing points that were read.
    Diagrams(DiagramNews),
    /// The extremes of today for the points of an asset; `None` if the utility was removed.
    Day(AssetId, Option<DayExtremes>),
    /// Checks whether the core works. The core answers whether it has loaded the registry.
    Probe { answer: oneshot::Sender<bool> },
}
