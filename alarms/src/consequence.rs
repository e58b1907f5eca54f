//! Alarms that are consequences of another alarm: low values of parts without supply, and relays of a breaker that tripped. They are suppressed while their
//! cause is known. If their condition outlasts the cause, they become alarms of their own.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use grid::alarm::{AlarmKind, AlarmRecord, State, Verdict};
use grid::point::PointKind;
use grid::position::Position;
use grid::{AssetId, GatewayId, Micros, NodeId, Point, PointId};
use store::alarm::FieldEvent;

use crate::about::About;
use crate::causes::{CLOCKS_MS, CauseFound, Hidden, MovementEffect, OpenedChange, Suppression, is_cause, trip_source};
use crate::field::{ConditionChange, Utility, is_history};
use crate::fold::Fold;
use crate::supply::{Circuit, Station, is_electrical};

/// The code of a relay that has operated.
const OPERATED: &str = "Op";
/// A breaker opens within this time after its relay has operated, ms.
pub(crate) const OPENS_WITHIN_MS: i64 = 5_000;
/// How long the operation of a relay waits for the opening of its breaker, ms from its receipt. Breakers open within 0.1 s; the rest is the time for two
/// messages.
const HOLD_MS: i64 = 1_000;
/// A low value in the network waits this long for its cause, ms from its source time. The cause may be in another substation, whose gateway reports later.
const CAUSE_WAIT_MS: i64 = 3_000;
/// Longest wait for a newer value after supply has returned, ms.
const SILENT_MS: i64 = 5 * 60_000;

impl Utility {
    /// Returns the breaker of the bay of each relay. Relays of a device with several breakers are left out, because it is not known which breaker they open.
    pub(crate) fn relays_of_bays(&self, registry: &registry::Utility) -> HashMap<PointId, PointId> {
        let mut breakers: HashMap<(GatewayId, &str), Vec<PointId>> = HashMap::new();
        for point in self.bays.keys().filter_map(|breaker| registry.point(*breaker)).filter(|point| !point.device.is_empty()) {
            breakers.entry((point.gateway, point.device.as_str())).or_default().push(point.id);
        }
        let relays = registry.points().filter(|point| point.code == OPERATED);
        let breaker_of = |relay: &Point| match breakers.get(&(relay.gateway, relay.device.as_str()))?.as_slice() {
            [breaker] => Some((relay.id, *breaker)),
            _ => None,
        };
        relays.filter_map(breaker_of).collect()
    }

    /// Returns the breaker of a relay's alarm.
    pub(crate) fn breaker_of(&self, about: &About) -> Option<PointId> {
        self.relays.get(&about.point?).copied().filter(|_| about.kind == AlarmKind::State)
    }

    /// Returns the cause of a low value that began at this source time, if the part was without supply then or until a moment before.
    pub(crate) fn cause_of(&self, about: &About, at: Micros) -> Option<CauseFound> {
        let is_low = matches!(about.kind, AlarmKind::Low | AlarmKind::LowLow);
        let is_followed = is_low && is_electrical(self.point(about.point?)?.quantity);
        self.causes.of(about.asset?, at).filter(|_| is_followed)
    }

    /// Returns the number of events before the first operation of a relay whose breaker may still report its opening, and the time until which this operation
    /// waits. If the relay and the trip are processed together, they raise one alarm.
    pub(crate) fn settled(&self, events: &[FieldEvent], now: Micros) -> (usize, Option<Micros>) {
        let until = |(index, event): (usize, &FieldEvent)| {
            let (at, received) = (event.event.source, event.event.received);
            let breaker = *self.relays.get(&event.event.point)?;
            // Without a rule the relay raises no alarm, and nothing has to wait.
            self.point(event.event.point)?;
            let operated = event.event.value.is_some_and(|value| (value - 1.0).abs() < f64::EPSILON);
            let is_young = (0..HOLD_MS).contains(&now.millis_since(received));
            let is_known = self.open.contains_key(&breaker) || opens(&events[index..], breaker, at);
            (operated && is_young && !is_known).then(|| (index, received.plus_millis(HOLD_MS)))
        };
        match events.iter().enumerate().find_map(until) {
            Some((count, until)) => (count, Some(until)),
            None => (events.len(), None),
        }
    }

    /// Adds a substation in which a switch has moved.
    pub(crate) fn add_station(&mut self, location: NodeId, registry: &registry::Utility, circuit: Option<Arc<Circuit>>, now: Micros) {
        let is_followed =
            |asset: AssetId| registry.points_of(asset).any(|point| self.watches_low(point.id) && is_electrical(point.quantity));
        let station = Station::new(location, registry, circuit, is_followed);
        let tripped: HashMap<PointId, Micros> = self.open.iter().map(|(breaker, fault)| (*breaker, fault.opened)).collect();
        let changes = self.causes.add(location, station, &tripped);
        self.pending.extend(changes.into_iter().map(|change| opened(change, now)));
    }

    /// Applies the movement of a switch. Returns the alarms for opened switches, and the alarms that were raised before their cause.
    pub(crate) fn moved(&mut self, event: &FieldEvent) -> (Vec<ConditionChange>, Vec<Fold>) {
        if event.code != "Pos" || is_history(&event.event) {
            return Default::default();
        }
        let (point, at) = (event.event.point, event.event.source);
        let opens = event.event.value.is_some_and(|value| Position::decode(event.event.encoding, value) == Position::Open);
        let is_trip = event.of_breaker && self.bays.contains_key(&point) && (event.by_protection || !event.ordered);
        let effect = self.causes.moved(event, is_trip);
        let mut folds = self.folds_of(&effect);
        if opens && is_trip {
            let relays = self.relays.iter().filter(|(_, breaker)| **breaker == point);
            let active = relays.flat_map(|(relay, _)| self.active_at(*relay)).filter(|about| about.kind == AlarmKind::State);
            folds.extend(active.map(|about| Fold { about, cause: trip_source(point), at }));
        }
        (effect.opened.into_iter().map(|change| opened(change, at)).collect(), folds)
    }

    /// Returns the alarms that were raised before their cause was known.
    fn folds_of(&self, effect: &MovementEffect) -> Vec<Fold> {
        let mut folds = Vec::new();
        for lost in &effect.lost {
            let is_of = |about: &Arc<About>| self.cause_of(about, lost.at).is_some_and(|found| found.source == lost.cause);
            let followed = self.active_of(lost.asset).into_iter().filter(is_of);
            folds.extend(followed.map(|about| Fold { about, cause: lost.cause.clone(), at: lost.at }));
        }
        folds
    }

    /// Applies the effects of a voltage of an infeed, a link or the passage of time. `at` is when supply returned, if it did.
    pub(crate) fn take_effect(&mut self, effect: MovementEffect, at: Micros) {
        let folds = self.folds_of(&effect);
        self.folds.extend(folds);
        let lost_at = |source: &str| effect.lost.iter().find(|lost| lost.cause == source).map(|lost| lost.at);
        let changes = effect.opened.into_iter().map(|change| {
            let at = lost_at(&change.0.source).filter(|_| change.1).unwrap_or(at);
            opened(change, at)
        });
        let changes: Vec<ConditionChange> = changes.collect();
        self.pending.extend(changes);
    }

    /// Determines the causes in a new network.
    pub(crate) fn begin_network(&mut self, now: Micros) {
        let tripped: HashMap<PointId, Micros> = self.open.iter().map(|(breaker, fault)| (*breaker, fault.opened)).collect();
        let effect = self.causes.begin_network(&tripped, now);
        self.take_effect(effect, now);
    }

    /// Takes the pending changes that can be committed. If a value is so low that its part may be without supply, it waits for a cause in another substation.
    /// Later changes of the same alarm wait too.
    pub(crate) fn take_pending(&mut self, now: Micros) -> Vec<ConditionChange> {
        let pending = std::mem::take(&mut self.pending);
        if self.causes.network().is_none() {
            return pending;
        }
        let mut waiting: HashSet<String> = HashSet::new();
        let (mut ready, mut later) = (Vec::new(), Vec::new());
        for change in pending {
            if waiting.contains(&change.about.source) || self.waits_for_cause(&change, now) {
                waiting.insert(change.about.source.clone());
                later.push(change);
            } else {
                ready.push(change);
            }
        }
        self.pending = later;
        ready
    }

    fn waits_for_cause(&self, change: &ConditionChange, now: Micros) -> bool {
        let (about, verdict) = (&change.about, &change.verdict);
        let is_young = (-CLOCKS_MS..CAUSE_WAIT_MS).contains(&now.millis_since(verdict.at));
        let is_low = verdict.active && matches!(about.kind, AlarmKind::Low | AlarmKind::LowLow);
        if !is_young || !is_low || change.outlives_cause {
            return false;
        }
        let looks_dead = about.limit.is_some_and(|limit| verdict.value.is_some_and(|value| value.abs() < limit.abs() / 2.0));
        let is_electrical = about.point.and_then(|point| self.point(point)).is_some_and(|point| is_electrical(point.quantity));
        looks_dead && is_electrical && about.asset.is_some_and(|asset| self.causes.may_find_cause(asset))
    }

    /// Updates the states of alarms after a commit.
    pub(crate) fn committed(&mut self, alarms: &[AlarmRecord], hidden: Hidden) {
        for alarm in alarms {
            let state = alarm.life.state;
            if is_cause(alarm.kind) && state.is_active() {
                self.standing.insert(alarm.source.clone());
            } else {
                self.standing.remove(&alarm.source);
            }
            if state == State::Suppressed {
                let held = self.suppressed.entry(alarm.source.clone()).or_default();
                (held.cause, held.is_hidden) = (alarm.cause.clone(), false);
            } else if state.is_active() || self.suppressed.get(&alarm.source).is_some_and(|held| !held.is_hidden) {
                self.suppressed.remove(&alarm.source);
            }
        }
        for (source, suppression) in hidden {
            let ended = self.suppressed.get(&source).filter(|held| held.is_hidden).map(|held| held.ended);
            match (suppression, ended) {
                (Some(suppression), ended) => {
                    self.suppressed.insert(source, Suppression { ended: ended.flatten(), ..suppression });
                }
                (None, Some(_)) => {
                    self.suppressed.remove(&source);
                }
                (None, None) => {}
            }
        }
    }

    /// Raises the suppressed alarms whose condition has outlasted its cause. A cause lasts only as long as its alarm is active, because an alarm that is not
    /// visible must not suppress others. If that alarm ends while the part is still without supply, the suppressed alarm is raised at once.
    ///
    /// After supply has returned, a measurand gets some time to rise. After this time, the last value of a point that reports by exception is used, because the
    /// point would have reported a change. A point with a reporting interval has two intervals to report a newer value.
    pub(crate) fn release(&mut self, now: Micros) {
        if self.suppressed.is_empty() {
            return;
        }
        let mut suppressed = std::mem::take(&mut self.suppressed);
        let mut released = Vec::new();
        suppressed.retain(|source, held| {
            let Some((about, judge, point)) = self.watch(source) else { return !held.is_hidden };
            if held.is_hidden && !judge.is_active() {
                return false;
            }
            let lasts = match self.breaker_of(about) {
                Some(breaker) => self.open.contains_key(&breaker),
                None => about.asset.is_some_and(|asset| self.causes.is_without_supply(asset)),
            };
            if lasts && held.cause.as_ref().is_some_and(|cause| self.standing.contains(cause)) {
                held.ended = None;
                return true;
            }
            let since = *held.ended.get_or_insert(now);
            let rest = now.millis_since(since);
            // In the network, a value that was measured after supply had returned is an alarm at once.
            let is_in_network = about.asset.is_some_and(|asset| self.causes.is_in_network(asset)) && self.breaker_of(about).is_none();
            let is_measured = is_in_network && judge.is_met_after(since.plus_millis(CLOCKS_MS));
            let silent_ms = point.expected_ms.map_or(0, |interval| interval.saturating_mul(2).min(SILENT_MS));
            // Elsewhere a measurand with an interval must have been measured since; a status stays as it was reported.
            let is_proven = matches!(point.kind, PointKind::Status(_)) || judge.is_met_after(since.plus_millis(self.outlasts_ms / 3));
            let has_settled = lasts || is_measured || rest >= self.outlasts_ms && (is_proven || rest >= silent_ms);
            if !judge.is_active() || !has_settled {
                return true;
            }
            let verdict = Verdict { active: true, at: now, value: held.value };
            released.push(ConditionChange { about: Arc::clone(about), verdict, outlives_cause: true });
            false
        });
        self.suppressed = suppressed;
        self.pending.append(&mut released);
    }
}

/// Returns whether a breaker opens in these events within [`OPENS_WITHIN_MS`] after a time.
fn opens(events: &[FieldEvent], breaker: PointId, at: Micros) -> bool {
    events.iter().any(|event| {
        let event = &event.event;
        let opened = event.value.is_some_and(|value| Position::decode(event.encoding, value) == Position::Open);
        event.point == breaker && opened && (0..=OPENS_WITHIN_MS).contains(&event.source.millis_since(at))
    })
}

fn opened((about, active): OpenedChange, at: Micros) -> ConditionChange {
    ConditionChange { about, verdict: Verdict { active, at, value: None }, outlives_cause: false }
}
