//! Database queries for one client. Each runs in a task with a time limit, so that the client's heartbeat never waits
//! for the database.

use std::sync::Arc;
use std::time::Duration;

use auth::Principal;
use grid::alarm::AlarmRecord;
use grid::command::CommandRecord;
use grid::fault::FaultRecord;
use grid::{Event, Micros, NodeId};
use serde_json::value::to_raw_value;
use store::Store;
use store::kept::Level;
use wire::alarms::AlarmRow;
use wire::control::CommandRow;
use wire::faults::FaultRow;
use wire::live::{Class, Snapshot, Subscribed};
use wire::rows::EventRow;
use wire::time::iso;

use crate::config::{ALARMS_SNAPSHOT, COMMANDS_SNAPSHOT_MS, EVENTS_BEHIND_MAX, EVENTS_MISSED_MAX, EVENTS_SNAPSHOT, FAULTS_SNAPSHOT_MS};
use crate::query::{Answered, limited};
use crate::state::Live;
use crate::stream::Stream;
use crate::subscription::MissedRowsQuery;

/// Why a token is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The client connects.
    Connect,
    /// The client renews its token. Contains the id of the acknowledgement that it expects.
    Reauth(Option<u64>),
    /// The periodic re-check.
    Recheck,
}

/// The result of a query.
pub(crate) enum Done {
    /// The user of a token.
    Token { purpose: Purpose, token_hash: [u8; 32], principal: Answered<Option<Principal>> },
    /// The missed rows, or the snapshot, for a subscriber.
    Events(Events),
}

/// The result for a subscriber of a class `every` stream.
pub(crate) struct Events {
    pub(crate) query: MissedRowsQuery,
    pub(crate) ack: Option<u64>,
    pub(crate) read: Answered<Arc<Subscribed>>,
}

/// Rows of a class `every` stream, and the offset that the client has with them.
struct Read {
    offset: i64,
    rows: Rows,
    /// If true, the rows continue those of the client, oldest first. If false, they are a snapshot, newest first.
    continues: bool,
    /// The time since which events are kept. Only for a snapshot of events that contains all kept events.
    kept_since: Option<Micros>,
}

/// Rows as read from the database.
enum Rows {
    Events(Vec<Event>),
    Commands(Vec<CommandRecord>),
    Alarms(Vec<AlarmRecord>),
    Faults(Vec<FaultRecord>),
}

impl Read {
    /// Returns the answer to the client.
    fn answer(&self, epoch: String) -> Subscribed {
        let (snapshot, missed) = match &self.rows {
            Rows::Events(rows) => {
                let rows: Vec<EventRow> = rows.iter().map(EventRow::from).collect();
                let kept_since = self.kept_since.map(iso);
                if self.continues {
                    (None, to_raw_value(&rows).ok())
                } else {
                    (to_raw_value(&Snapshot::Events { rows, kept_since }).ok(), None)
                }
            }
            Rows::Commands(rows) => {
                let rows: Vec<CommandRow> = rows.iter().map(CommandRow::from).collect();
                if self.continues { (None, to_raw_value(&rows).ok()) } else { (to_raw_value(&Snapshot::Commands { rows }).ok(), None) }
            }
            Rows::Alarms(rows) => {
                let rows: Vec<AlarmRow> = rows.iter().map(AlarmRow::from).collect();
                if self.continues { (None, to_raw_value(&rows).ok()) } else { (to_raw_value(&Snapshot::Alarms { rows }).ok(), None) }
            }
            Rows::Faults(rows) => {
                let now = crate::clock::now();
                let rows: Vec<FaultRow> = rows.iter().map(|record| FaultRow::from((record, now))).collect();
                if self.continues { (None, to_raw_value(&rows).ok()) } else { (to_raw_value(&Snapshot::Faults { rows }).ok(), None) }
            }
        };
        Subscribed { ok: true, class: Class::Every, epoch, offset: self.offset, snapshot, missed }
    }
}

/// Looks up the user of a token.
pub(crate) async fn token(live: Live, limit: Duration, token_hash: [u8; 32], purpose: Purpose) -> Done {
    let principal = live.tokens.principal(token_hash, limit).await;
    Done::Token { purpose, token_hash, principal }
}

/// Reads the rows that a subscriber has missed, or a snapshot if it has missed too many.
pub(crate) async fn events(live: Live, limit: Duration, query: MissedRowsQuery, ack: Option<u64>) -> Done {
    let (store, request) = (live.store.clone(), query.clone());
    let read = async move { limited(limit, read(&store, &request)).await.map(|read| Arc::new(read.answer(request.epoch))) };
    let read = live.answers.of(&query, read).await;
    Done::Events(Events { query, ack, read })
}

async fn read(store: &Store, query: &MissedRowsQuery) -> store::Result<Read> {
    let MissedRowsQuery { client, scope, since, .. } = *query;
    if let Stream::Commands(location) = query.stream {
        return read_commands(store, query, location).await;
    }
    if matches!(query.stream, Stream::Alarms(_)) {
        return read_alarms(store, query).await;
    }
    if matches!(query.stream, Stream::Faults(_)) {
        return read_faults(store, query).await;
    }
    let Some(scope) = scope else { return Err(store::Error::Data("the events of no place are asked for".to_owned())) };
    if let Some(offset) = since
        && store.event_stream(client).await?.1 - offset <= EVENTS_BEHIND_MAX
    {
        let rows = store.events_after(client, Some(scope), offset, EVENTS_MISSED_MAX + 1).await?;
        if rows.len() as i64 <= EVENTS_MISSED_MAX {
            return Ok(Read {
                offset: rows.last().map_or(offset, |row| row.offset),
                rows: Rows::Events(rows),
                continues: true,
                kept_since: None,
            });
        }
    }
    // Read the last offset first: rows stored in between are dropped here and arrive as held rows.
    let offset = store.scope_top(client, scope).await?;
    let mut rows = store.events_newest(client, scope, None, EVENTS_SNAPSHOT).await?;
    let has_earlier = i64::try_from(rows.len()).is_ok_and(|rows| rows >= EVENTS_SNAPSHOT);
    let kept_since = if has_earlier { None } else { store.kept().await?.of(Level::Event) };
    rows.retain(|row| row.offset <= offset);
    Ok(Read { offset, rows: Rows::Events(rows), continues: false, kept_since })
}

/// Like [`read`] for the commands of a diagram: the missed states, or the current states of the commands of the last
/// hour.
async fn read_commands(store: &Store, query: &MissedRowsQuery, location: NodeId) -> store::Result<Read> {
    let MissedRowsQuery { client, since, .. } = *query;
    if let Some(offset) = since {
        let rows = store.commands_after(client, Some(location), offset, EVENTS_MISSED_MAX + 1).await?;
        if rows.len() as i64 <= EVENTS_MISSED_MAX {
            return Ok(Read {
                offset: rows.last().map_or(offset, |row| row.offset),
                rows: Rows::Commands(rows),
                continues: true,
                kept_since: None,
            });
        }
    }
    let offset = store.commands_top(client, location).await?;
    let after = crate::clock::now().plus_millis(-COMMANDS_SNAPSHOT_MS);
    let mut rows = store.commands_newest(client, location, after, EVENTS_SNAPSHOT).await?;
    // A command whose state has changed meanwhile arrives as a held row.
    rows.retain(|row| row.offset <= offset);
    Ok(Read { offset, rows: Rows::Commands(rows), continues: false, kept_since: None })
}

/// Like [`read`] for alarms: the missed changes, or all alarms that are not normal.
async fn read_alarms(store: &Store, query: &MissedRowsQuery) -> store::Result<Read> {
    let MissedRowsQuery { client, since, scope, .. } = *query;
    if let Some(offset) = since {
        let rows = store.alarms_after(client, scope, offset, EVENTS_MISSED_MAX + 1).await?;
        // If the client was away for longer than changes are stored, it gets a snapshot.
        if rows.len() as i64 <= EVENTS_MISSED_MAX && store.alarms_reach(client, offset).await? {
            return Ok(Read {
                offset: rows.last().map_or(offset, |row| row.offset),
                rows: Rows::Alarms(rows),
                continues: true,
                kept_since: None,
            });
        }
    }
    // Read the last offset first: alarms that change in between are in the list in their new state, and arrive again as
    // held rows.
    let (_, offset) = store.alarm_stream(client).await?;
    let rows = store.open_alarms(client, scope, ALARMS_SNAPSHOT).await?;
    Ok(Read { offset, rows: Rows::Alarms(rows), continues: false, kept_since: None })
}

/// Like [`read`] for faults: the missed changes, or the current faults and those of the last day.
async fn read_faults(store: &Store, query: &MissedRowsQuery) -> store::Result<Read> {
    let MissedRowsQuery { client, since, scope, .. } = *query;
    if let Some(offset) = since {
        let rows = store.faults_after(client, scope, offset, EVENTS_MISSED_MAX + 1).await?;
        if rows.len() as i64 <= EVENTS_MISSED_MAX && store.faults_reach(client, offset).await? {
            return Ok(Read {
                offset: rows.last().map_or(offset, |row| row.offset),
                rows: Rows::Faults(rows),
                continues: true,
                kept_since: None,
            });
        }
    }
    let (_, offset) = store.fault_stream(client).await?;
    let since = crate::clock::now().plus_millis(-FAULTS_SNAPSHOT_MS);
    let rows = store.faults_since(client, scope, since, ALARMS_SNAPSHOT).await?;
    Ok(Read { offset, rows: Rows::Faults(rows), continues: false, kept_since: None })
}
