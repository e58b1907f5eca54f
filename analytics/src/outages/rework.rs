//! The recomputation of substations from a time on, in portions.

use std::collections::HashSet;

use grid::{ClientId, Micros, NodeId};
use store::Store;
use store::outage::{InfeedChange, RecomputedOutages, SourceOrder};

use super::area::Area;

/// Limit of overlapping outages that are computed together.
const CHAIN_MAX: usize = 1_000;

/// What is to be recomputed.
#[derive(Debug, Clone)]
pub(super) struct Planned {
    /// The substations.
    pub(super) locations: Vec<NodeId>,
    /// The time of the oldest change.
    pub(super) since: Micros,
    /// The substations whose whole past is recomputed.
    pub(super) unlaid: HashSet<NodeId>,
    /// Whether they are the substations of the network.
    pub(super) is_network: bool,
}

impl Planned {
    /// Returns the time from which to recompute. It is early enough that all outages that the oldest change may affect
    /// are computed from their start.
    pub(super) async fn from(&self, store: &Store, client: ClientId, momentary_ms: i64) -> store::Result<Micros> {
        let mut from = self.since;
        for _ in 0..CHAIN_MAX {
            let Some(earlier) = store.outages_touching(client, &self.locations, from, momentary_ms).await? else { break };
            from = earlier;
        }
        Ok(from)
    }
}

/// A recomputation in progress.
#[derive(Debug)]
pub(super) struct Rework {
    client: ClientId,
    from: Micros,
    momentary_ms: i64,
    unlaid: HashSet<NodeId>,
    locations: Vec<NodeId>,
    area: Area,
    /// The later changes of incoming lines in reverse order, so that the next one is the last element.
    lines: Vec<InfeedChange>,
    place: SourceOrder,
}

impl Rework {
    /// Reads the state at the start.
    pub(super) async fn begin(
        store: &Store,
        client: ClientId,
        planned: Planned,
        mut area: Area,
        (from, momentary_ms): (Micros, i64),
    ) -> store::Result<Self> {
        let locations = area.locations();
        let open = store.outages_open(client, &locations, from).await?;
        let states = store.switches_before(client, &locations, from).await?;
        let lines = store.infeed_changes(client, &locations, from).await?;
        let (before, mut after): (Vec<_>, Vec<_>) = lines.into_iter().partition(|change| change.at < from);
        area.begin(from, momentary_ms, (&states, &before), &open);
        after.reverse();
        let (unlaid, place) = (planned.unlaid, SourceOrder::before(from));
        Ok(Self { client, from, momentary_ms, unlaid, locations, area, lines: after, place })
    }

    /// Processes up to `pages` pages of events. Returns whether all are processed.
    pub(super) async fn proceed(&mut self, store: &Store, page: i64, pages: &mut usize) -> store::Result<bool> {
        while *pages > 0 {
            *pages -= 1;
            let moves = store.switches_after(self.client, &self.locations, self.place, page).await?;
            for moved in &moves {
                while let Some(change) = self.lines.pop_if(|change| change.at <= moved.at) {
                    self.area.feed(&change);
                }
                self.area.step(moved);
            }
            match moves.last() {
                Some(last) if moves.len() as i64 >= page => self.place = last.place,
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Returns whether events from a time on will still be read.
    pub(super) fn will_read(&self, since: Micros) -> bool {
        self.place.at() < since
    }

    /// Stores the result. Returns whether this process is still the leader.
    pub(super) async fn finish(mut self, store: &Store, worker: &str, now: Micros) -> store::Result<bool> {
        while let Some(change) = self.lines.pop() {
            self.area.feed(&change);
        }
        let (outages, stations) = self.area.finish(now, self.momentary_ms, |location| self.unlaid.contains(&location));
        let rework = RecomputedOutages { stations: &stations, from: self.from, outages: &outages };
        store.enter_outages(self.client, worker, &rework).await
    }
}
