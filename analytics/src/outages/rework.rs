//! The recomputation of substations from a time on, in portions.

use std::collections::HashSet;
use std::sync::Arc;

use grid::{ClientId, Micros, NodeId};
use registry::Image;
use store::Store;
use store::outage::{RecomputedOutages, SourceOrder};

use super::area::{Area, StateBefore};
use super::by_hand::{ByHand, NextNetwork, Step, awaited, awaited_equipment};
use super::past_networks::{Activation, PastNetworks};
use super::version::VersionPoints;

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
    /// The registry in which the versions are used.
    image: Arc<Image>,
    from: Micros,
    momentary_ms: i64,
    unlaid: HashSet<NodeId>,
    locations: Vec<NodeId>,
    area: Area,
    /// The version that is active, without jumpers and cuts.
    version: Option<Arc<VersionPoints>>,
    /// The later networks in reverse order, so that the next one is the last element.
    networks: Vec<NextNetwork>,
    /// The later changes that are no events, in reverse order.
    steps: Vec<(Micros, Step)>,
    place: SourceOrder,
}

impl Rework {
    /// Reads the state at the start. `activations`: those that were in force from then on.
    pub(super) async fn begin(
        store: &Store,
        (client, planned): (ClientId, Planned),
        mut area: Area,
        (past, image, activations): (&mut PastNetworks, &Arc<Image>, &[Activation]),
        (from, momentary_ms): (Micros, i64),
    ) -> store::Result<Self> {
        let locations = area.locations();
        let open = store.outages_open(client, &locations, from).await?;
        let states = store.switches_before(client, &locations, from).await?;
        let lines = store.infeed_changes(client, &locations, from).await?;
        let (before, after): (Vec<_>, Vec<_>) = lines.into_iter().partition(|change| change.at < from);
        let mut by_hand = ByHand::read(store, client, from, !activations.is_empty()).await?;
        let points = past.points_beside(store, image, (client, activations), &awaited_equipment(by_hand.entries())).await?;
        let awaited = awaited(by_hand.entries(), |id| points.get(id).map_or(&[][..], Vec::as_slice));
        by_hand.reports = store.first_reports(client, &awaited).await?;
        let mut networks = by_hand.networks(activations, from);
        networks.reverse();
        let first = networks.pop_if(|first| first.activation.is_some() && first.since <= from);
        let version = match first.as_ref().and_then(|first| first.activation) {
            Some(activation) => past.version(store, image, client, activation).await?,
            None => None,
        };
        let network = match (&version, first) {
            (Some(version), Some(first)) => Some(past.with_temporary(client, version, first.temporary).await?),
            _ => None,
        };
        let (entries, reports) = by_hand.before(from);
        area.begin(from, momentary_ms, StateBefore { switches: &states, lines: &before, entries, reports, network, open: &open });
        let mut steps = by_hand.steps(from);
        steps.extend(after.into_iter().map(|change| (change.at, Step::Line(change))));
        steps.sort_by_key(|(at, _)| *at);
        steps.reverse();
        let (unlaid, place) = (planned.unlaid, SourceOrder::before(from));
        let image = Arc::clone(image);
        Ok(Self { client, image, from, momentary_ms, unlaid, locations, area, version, networks, steps, place })
    }

    /// Applies what has changed until a time without an event.
    async fn advance(&mut self, until: Micros, store: &Store, past: &mut PastNetworks) -> store::Result<()> {
        loop {
            let next_step = self.steps.last().map_or(Micros(i64::MAX), |(at, _)| *at);
            if let Some(next) = self.networks.pop_if(|next| next.since <= until && next.since <= next_step) {
                let is_activation = next.activation.is_some();
                if let Some(activation) = next.activation {
                    let Some(version) = past.version(store, &self.image, self.client, activation).await? else { continue };
                    self.version = Some(version);
                }
                if let Some(version) = &self.version {
                    let points = past.with_temporary(self.client, version, next.temporary).await?;
                    self.area.change_network(next.since, points, is_activation);
                }
                continue;
            }
            match self.steps.pop_if(|(at, _)| *at <= until) {
                Some((at, Step::Entries { entered, withdrawn })) => self.area.enter(at, entered, &withdrawn),
                Some((_, Step::Report(report))) => self.area.report(report),
                Some((_, Step::Line(change))) => self.area.feed(&change),
                None => return Ok(()),
            }
        }
    }

    /// Processes up to `pages` pages of events. Returns whether all are processed.
    pub(super) async fn proceed(&mut self, store: &Store, past: &mut PastNetworks, page: i64, pages: &mut usize) -> store::Result<bool> {
        while *pages > 0 {
            *pages -= 1;
            let moves = store.switches_after(self.client, &self.locations, self.place, page).await?;
            for moved in &moves {
                self.advance(moved.at, store, past).await?;
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
    pub(super) async fn finish(mut self, store: &Store, past: &mut PastNetworks, worker: &str) -> store::Result<bool> {
        self.advance(Micros(i64::MAX), store, past).await?;
        let (outages, stations) = self.area.finish(self.momentary_ms, |location| self.unlaid.contains(&location));
        let rework = RecomputedOutages { stations: &stations, from: self.from, outages: &outages };
        store.enter_outages(self.client, worker, &rework).await
    }
}
