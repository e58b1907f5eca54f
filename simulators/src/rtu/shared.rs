//! The physics of a utility, shared by the RTUs of its substations. The RTU that scans first advances the whole utility; the other RTUs only read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use grid::Micros;
use grid::control::Throw;
use tokio::sync::watch;

use crate::physics::substation::{Change, Station};
use crate::physics::utility::UtilityPhysics;
use crate::utility::Pace;

/// Largest number of changes that wait for an RTU. If an RTU does not scan, the oldest changes are dropped; its next birth reports the positions.
const WAITING_MAX: usize = 1_000;

/// The physics of a utility.
#[derive(Debug)]
struct SharedPhysics {
    inner: Mutex<Inner>,
    /// The age up to which values are read again instead of computed, see [`Pace::fresh_ms`].
    fresh_ms: i64,
    /// Counts steps in which a switch moved.
    switched: watch::Sender<u64>,
}

#[derive(Debug)]
struct Inner {
    physics: UtilityPhysics,
    /// For each substation the changes that its RTU has not read yet.
    waiting: Vec<Vec<Change>>,
}

/// One substation of a shared physics.
#[derive(Debug, Clone)]
pub struct StationPhysics {
    shared: Arc<SharedPhysics>,
    index: usize,
}

impl StationPhysics {
    /// Shares the physics of a utility with a pace. Returns its substations in their order.
    pub fn share(physics: UtilityPhysics, pace: Pace) -> Vec<Self> {
        let count = physics.station_count();
        let inner = Mutex::new(Inner { physics, waiting: vec![Vec::new(); count] });
        let shared = Arc::new(SharedPhysics { inner, fresh_ms: pace.fresh_ms(), switched: watch::Sender::new(0) });
        (0..count).map(|index| Self { shared: shared.clone(), index }).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a receiver that changes when a switch of any substation has moved.
    pub(super) fn switched(&self) -> watch::Receiver<u64> {
        self.shared.switched.subscribe()
    }

    /// Advances the utility to now, unless its values are fresh. Returns the changes of this substation since the last call, and its values.
    pub(super) fn scan(&self, now: Micros) -> (Vec<Change>, BTreeMap<String, f64>) {
        let mut inner = self.lock();
        if now.millis_since(inner.physics.now()) >= self.shared.fresh_ms || inner.physics.is_switching(now) {
            self.step(&mut inner, now);
        }
        (std::mem::take(&mut inner.waiting[self.index]), inner.physics.station(self.index).values().clone())
    }

    /// Advances the utility to now and discards the changes of this substation.
    pub(super) fn skip(&self, now: Micros) {
        let mut inner = self.lock();
        self.step(&mut inner, now);
        inner.waiting[self.index].clear();
    }

    fn step(&self, inner: &mut Inner, now: Micros) {
        let is_switching = inner.physics.is_switching(now);
        for (waiting, changes) in inner.waiting.iter_mut().zip(inner.physics.step(now)) {
            waiting.extend(changes);
            let excess = waiting.len().saturating_sub(WAITING_MAX);
            waiting.drain(..excess);
        }
        if is_switching {
            self.shared.switched.send_modify(|count| *count += 1);
        }
    }

    /// Returns the instant of the present values, and the values.
    pub(super) fn values(&self) -> (Micros, BTreeMap<String, f64>) {
        let inner = self.lock();
        (inner.physics.now(), inner.physics.station(self.index).values().clone())
    }

    /// Calls a function with the substation.
    pub(super) fn with_station<T>(&self, look: impl FnOnce(&Station) -> T) -> T {
        look(self.lock().physics.station(self.index))
    }

    /// Starts the movement of a switch. Returns the change to report.
    pub(super) fn throw(&self, now: Micros, code: &str, to: Throw, travel_ms: i64) -> Option<Change> {
        let mut inner = self.lock();
        self.step(&mut inner, now);
        inner.physics.throw(self.index, code, to, travel_ms).1
    }

    /// Sets the local/remote switch. Returns the change to report.
    pub(super) fn set_local(&self, now: Micros, local: bool) -> Option<Change> {
        let mut inner = self.lock();
        self.step(&mut inner, now);
        inner.physics.set_local(self.index, local)
    }

    /// Starts a fault on a feeder.
    pub(super) fn fault(&self, now: Micros, feeder: usize) {
        let mut inner = self.lock();
        self.step(&mut inner, now);
        inner.physics.fault(self.index, feeder);
    }
}
