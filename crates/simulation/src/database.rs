//! The simulated database: the lock of the leader, the sequence of terms, and transactions that store all of a batch or
//! nothing.
//!
//! It represents PostgreSQL and the statements in `crates/store/sql`. The functions of the product decide whether a term is over, which reading is the latest,
//! and which link state is used.

use std::collections::BTreeMap;

use grid::{LinkState, Micros, PointId, Quality, Reading, Term};
use ingest::writer::Failure;
use store::Registry;
use store::lead::Tenure;
use store::writer::{Batch, Committed, Sample};

use crate::field::{number_of, registry};
use crate::truth::Truth;

/// Maximum number of values of one point with the same source time, as in `crates/store/src/writer/samples.rs`.
const VALUES_PER_INSTANT: i64 = 16;

/// A request to the database.
pub(crate) enum Query {
    /// A new connection.
    Connect,
    /// On a new connection: takes the lock and starts the next term.
    Take,
    /// On a new connection: takes the lock and returns the stored term.
    Retake,
    /// Checks whether the connection is open.
    Ping,
    /// A transaction.
    Commit(Box<Batch>, Option<Tenure>),
    /// The registry and the latest values.
    Load,
}

/// The result of a request.
pub(crate) enum Answer {
    /// The connection is open.
    Connected,
    /// The new term; `None` while another connection has the lock.
    Taken(Option<Term>),
    /// The stored term, and whether the lock was free.
    Locked { stored: Option<Term>, is_locked: bool },
    /// The result of a transaction.
    Committed(Result<Committed, Failure>),
    /// The registry and the latest values.
    Loaded(Box<(Registry, Vec<(PointId, Reading)>)>),
}

/// The database.
#[derive(Debug, Default)]
pub(crate) struct Database {
    pub(crate) is_up: bool,
    /// The connections that the server regards as open, with the machine at the other end.
    pub(crate) connections: BTreeMap<u64, usize>,
    /// The connection that has the lock of the leader.
    pub(crate) lock: Option<u64>,
    sequence: i64,
    term: Option<Term>,
    samples: BTreeMap<(PointId, Micros), (Option<f64>, Quality)>,
    pub(crate) latest: BTreeMap<PointId, Reading>,
    pub(crate) gateways: Vec<Option<LinkState>>,
    pub(crate) devices: Vec<Option<LinkState>>,
    /// Batches that were committed.
    pub(crate) commits: u64,
    /// Number of started terms.
    pub(crate) terms: u64,
    /// Number of commits that were refused because their term has ended.
    pub(crate) refusals: u64,
}

impl Database {
    /// Returns a database that has the gateways and no values.
    pub(crate) fn new(gateways: usize) -> Self {
        Self { is_up: true, gateways: vec![None; gateways], devices: vec![None; gateways], ..Self::default() }
    }

    /// Closes a connection and releases its lock.
    pub(crate) fn close(&mut self, connection: u64) {
        self.connections.remove(&connection);
        if self.lock == Some(connection) {
            self.lock = None;
        }
    }

    /// Stops the database: all connections are lost.
    pub(crate) fn restart(&mut self) {
        self.connections.clear();
        self.lock = None;
    }

    /// Returns what the hub and a new leader read.
    pub(crate) fn load(&self) -> (Registry, Vec<(PointId, Reading)>) {
        let latest = self.latest.iter().map(|(point, reading)| (*point, *reading)).collect();
        (registry(&self.gateways, &self.devices), latest)
    }

    /// Handles a request; `None` on a closed connection. `life` identifies the requesting process.
    pub(crate) fn answer(&mut self, connection: u64, machine: usize, life: u64, query: Query, truth: &mut Truth) -> Option<Answer> {
        if matches!(query, Query::Connect | Query::Take | Query::Retake) {
            self.connections.insert(connection, machine);
        } else if !matches!(query, Query::Load) && !self.connections.contains_key(&connection) {
            return None;
        }
        Some(match query {
            Query::Connect | Query::Ping => Answer::Connected,
            Query::Take => {
                let is_free = self.lock.is_none();
                if is_free {
                    self.lock = Some(connection);
                    self.sequence += 1;
                    self.terms += 1;
                    self.term = Some(Term(self.sequence));
                }
                Answer::Taken(self.term.filter(|_| is_free))
            }
            Query::Retake => {
                let is_locked = self.lock.is_none();
                if is_locked {
                    self.lock = Some(connection);
                }
                Answer::Locked { stored: self.term, is_locked }
            }
            Query::Commit(batch, tenure) => Answer::Committed(self.commit(&batch, tenure.as_ref(), life, truth)),
            Query::Load => Answer::Loaded(Box::new(self.load())),
        })
    }

    fn commit(&mut self, batch: &Batch, tenure: Option<&Tenure>, life: u64, truth: &mut Truth) -> Result<Committed, Failure> {
        if let Some(tenure) = tenure {
            if !tenure.is_current(self.term) {
                self.refusals += 1;
                return Err(Failure::Deposed);
            }
            truth.commit(tenure.term, life);
        }
        self.commits += 1;
        let mut committed = Committed::default();
        let mut rows: Vec<&Sample> = batch.samples.iter().collect();
        rows.sort_by_key(|sample| (sample.point, sample.reading.source));
        for sample in rows {
            if self.insert(sample, truth) {
                committed.samples_new += 1;
            } else {
                committed.samples_duplicate += 1;
            }
            if !sample.historical {
                self.advance(sample);
            }
        }
        for doubt in &batch.doubts {
            // Of the same message as the value that it is about: then it takes its place.
            if self.latest.get(&doubt.point).is_none_or(|stored| !stored.supersedes(&doubt.reading)) {
                self.latest.insert(doubt.point, doubt.reading);
            }
        }
        for dead in &batch.dead {
            truth.bury(&dead.topic, &dead.payload);
        }
        for mark in &batch.gateways {
            if let Some(online) = mark.online {
                put(&mut self.gateways[number_of(mark.gateway)], LinkState { online, since: mark.at, order: mark.order });
            }
        }
        for mark in &batch.devices {
            let state = LinkState { online: mark.online, since: mark.at, order: mark.order };
            put(&mut self.devices[number_of(mark.gateway)], state);
        }
        Ok(committed)
    }

    /// Stores a value. If its key is stored with a different value, it is stored one microsecond later. If it is stored with the same value, nothing changes.
    fn insert(&mut self, sample: &Sample, truth: &mut Truth) -> bool {
        let row = (sample.reading.value, sample.reading.quality);
        for distance in 0..VALUES_PER_INSTANT {
            match self.samples.get(&(sample.point, Micros(sample.reading.source.0 + distance))) {
                Some(stored) if *stored == row => return false,
                Some(_) => {}
                None => {
                    self.samples.insert((sample.point, Micros(sample.reading.source.0 + distance)), row);
                    if let Some(value) = row.0 {
                        truth.store(sample.point, value);
                    }
                    return true;
                }
            }
        }
        false
    }

    fn advance(&mut self, sample: &Sample) {
        let stored = self.latest.get(&sample.point);
        if stored.is_none_or(|stored| sample.reading.supersedes(stored)) {
            self.latest.insert(sample.point, sample.reading);
        }
    }
}

fn put(stored: &mut Option<LinkState>, state: LinkState) {
    if state.supersedes(stored.as_ref()) {
        *stored = Some(state);
    }
}
