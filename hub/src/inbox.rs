//! Messages to the core, of sessions and readers.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use auth::Principal;
use grid::{AssetId, ClientId, PointId, Reading};
use store::day::DayExtremes;
use store::registry::Links;
use tokio::sync::oneshot;
use wire::control::CommandRow;
use wire::live::Place;

use crate::connection::ConnectionId;
use crate::loaded::{DiagramNews, Loaded, MissedAlarms, OfControl};
use crate::outbox::Outbox;
use crate::row::SharedRow;
use crate::stream::Stream;
use crate::subscription::Joined;

/// Commands that wait for the core. Senders wait at the bound: only that client is slowed.
pub(crate) const INBOX: usize = 4_096;
/// What the core is asked.
pub(crate) enum Command {
    /// A client subscribes. What can be answered at once is put into its outbox before anything that follows from it.
    Join {
        id: ConnectionId,
        outbox: Arc<Outbox>,
        principal: Box<Principal>,
        name: String,
        since: Option<Place>,
        /// The id of the acknowledgement that the client waits for.
        ack: Option<u64>,
        answer: oneshot::Sender<Joined>,
    },
    /// A client has the rows of an event stream up to `offset`.
    Release { id: ConnectionId, stream: Stream, position: Arc<AtomicI64>, offset: i64 },
    /// A client unsubscribes.
    Leave { id: ConnectionId, stream: Stream },
    /// A client has room again for streams on which it was left behind.
    Behind { outbox: Arc<Outbox>, streams: Vec<Stream> },
    /// The field, its latest readings and the event streams, as the database has them.
    Loaded(Box<Loaded>),
    /// Readings that the database received lately, and how far its event streams go.
    Reconciled { latest: Vec<(PointId, Reading)>, links: Links, streams: Vec<(ClientId, String, i64)>, control: OfControl },
    /// Event rows that were missed; `epoch` as the database has it now.
    Recovered { client: ClientId, epoch: String, rows: Vec<SharedRow> },
    /// States of commands that were missed.
    RecoveredCommands { client: ClientId, epoch: String, rows: Vec<Arc<CommandRow>> },
    /// Changes of alarms or faults that were missed.
    RecoveredAlarms(MissedAlarms),
    /// What was read for diagrams.
    Diagrams(DiagramNews),
    /// What the points of an asset have been today; `None` where the utility is gone.
    Day(AssetId, Option<DayExtremes>),
    /// Asks whether the core works; answered with whether it has read the field.
    Probe { answer: oneshot::Sender<bool> },
}
