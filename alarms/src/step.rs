//! Applies changes to the rows, under the lock and in the order of source times.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use grid::alarm::{Act, Change, State};
use grid::fault::{self, BayEvent, Effect, Fault, FaultRecord};
use grid::position::Position;
use grid::{Micros, PointId};
use store::alarm::{FieldCommand, FieldEvent, Ledger, Progress};

use crate::about::About;
use crate::causes::{CLOCKS_MS, Hidden, Suppression, trip_source};
use crate::command::{FailedCommand, failure};
use crate::consequence::OPENS_WITHIN_MS;
use crate::field::{Bay, ConditionChange, Utility, is_history};
use crate::fold::Fold;

/// Changes that are committed together. They are kept until they are committed, so that nothing is lost while the database is unreachable.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// The present and the next position of the cursor; `None` if neither events nor commands were processed.
    pub(crate) cursor: Option<(Option<Progress>, Progress)>,
    pub(crate) flips: Vec<ConditionChange>,
    /// Alarms that were raised before their cause was reported.
    pub(crate) folds: Vec<Fold>,
    /// Breakers with an open fault whose alarm had to wait until all events were processed.
    pub(crate) late: BTreeSet<PointId>,
    /// Commands that failed.
    pub(crate) failed: Vec<FailedCommand>,
    /// Stored fault currents of openings for which the bus did not deliver all phases.
    pub(crate) currents: HashMap<(PointId, Micros), [Option<f64>; 3]>,
    /// Movements of breakers, and whether they were received too late to raise an alarm.
    pub(crate) breakers: Vec<(PointId, Micros, BayEvent, bool)>,
    /// Breakers whose fault may have new currents, or may have become a lockout.
    pub(crate) touched: BTreeSet<PointId>,
    /// Sources of alarms whose shelving has expired.
    pub(crate) shelves: Vec<String>,
    /// Sources of alarms that no longer have a rule.
    pub(crate) orphans: Vec<String>,
    /// New descriptions of active alarms.
    pub(crate) restated: Vec<Arc<About>>,
}

/// A change of a step.
enum StepChange<'a> {
    ConditionChange(&'a ConditionChange),
    Failed(&'a FailedCommand),
    Breaker(PointId, BayEvent, bool),
}

impl Work {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { cursor, currents: _, flips, folds, late, failed, breakers, touched, shelves, orphans, restated } = self;
        let nothing_new = cursor.is_none() && flips.is_empty() && failed.is_empty() && breakers.is_empty() && touched.is_empty();
        nothing_new && folds.is_empty() && late.is_empty() && shelves.is_empty() && orphans.is_empty() && restated.is_empty()
    }

    /// Returns the openings of events and of open faults for which the bus has not delivered all currents, because they are old or happened during an
    /// interruption. Each opening has its breaker, its time and the points of its currents.
    pub(crate) fn incomplete(utility: &Utility, events: &[FieldEvent]) -> Vec<(PointId, Micros, [PointId; 3])> {
        let opened = |event: &FieldEvent| {
            let opens = event.of_breaker && matches!(bay_event(event), Some(BayEvent::Opened { .. }));
            opens.then_some((event.event.point, event.event.source))
        };
        let incomplete = |(breaker, at): (PointId, Micros)| {
            let [Some(r), Some(y), Some(b)] = utility.bays.get(&breaker)?.currents else { return None };
            utility.currents_at(breaker, at).contains(&None).then_some((breaker, at, [r, y, b]))
        };
        events.iter().filter_map(opened).filter_map(incomplete).collect()
    }

    /// Adds events, in offset order.
    pub(crate) fn take_events(&mut self, utility: &mut Utility, events: &[FieldEvent]) {
        for event in events {
            let (opened, folds) = utility.moved(event);
            self.flips.extend(opened);
            self.folds.extend(folds);
            self.flips.extend(utility.event(event));
            if event.of_breaker && utility.bays.contains_key(&event.event.point) {
                let is_history = is_history(&event.event);
                if is_history {
                    utility.late.insert(event.event.point);
                }
                self.breakers.extend(bay_event(event).map(|bay_event| (event.event.point, event.event.source, bay_event, is_history)));
            }
        }
    }

    /// Adds states of commands, in offset order.
    pub(crate) fn take_commands(&mut self, commands: &[FieldCommand]) {
        self.failed.extend(commands.iter().filter_map(failure));
    }

    /// Returns the sources of the alarms and the breakers that the work changes.
    pub(crate) fn about(&self, utility: &Utility) -> (Vec<String>, Vec<PointId>) {
        let mut breakers: BTreeSet<PointId> =
            self.breakers.iter().map(|(breaker, ..)| *breaker).chain(self.touched.iter().chain(&self.late).copied()).collect();
        let mut sources: BTreeSet<String> = self.flips.iter().map(|flip| flip.about.source.clone()).collect();
        sources.extend(self.folds.iter().map(|fold| fold.about.source.clone()));
        // A condition is suppressed only if the alarm of its cause is active.
        let active = self.flips.iter().filter(|flip| flip.verdict.active);
        sources.extend(active.filter_map(|flip| utility.cause_of(&flip.about, flip.verdict.at)).map(|found| found.source));
        sources.extend(self.failed.iter().map(|failed| failed.about.source.clone()));
        sources.extend(breakers.iter().filter_map(|breaker| Some(utility.bays.get(breaker)?.trip.source.clone())));
        // A relay's alarm depends on the fault of its bay.
        breakers.extend(self.flips.iter().filter(|flip| flip.verdict.active).filter_map(|flip| utility.breaker_of(&flip.about)));
        sources.extend(self.shelves.iter().chain(&self.orphans).cloned());
        sources.extend(self.restated.iter().map(|about| about.source.clone()));
        (sources.into_iter().collect(), breakers.into_iter().collect())
    }

    /// Applies all changes. Returns the conditions that are suppressed, but whose rows do not show this.
    pub(crate) fn apply(&self, utility: &Utility, ledger: &mut Ledger) -> Hidden {
        let mut hidden = Hidden::new();
        let mut changes: Vec<(Micros, StepChange<'_>)> =
            self.flips.iter().map(|flip| (flip.verdict.at, StepChange::ConditionChange(flip))).collect();
        changes.extend(self.failed.iter().map(|failed| (failed.at, StepChange::Failed(failed))));
        changes.extend(
            self.breakers.iter().map(|(breaker, at, bay_event, history)| (*at, StepChange::Breaker(*breaker, *bay_event, *history))),
        );
        // The sort is stable: simultaneous changes keep the order of the stream.
        changes.sort_by_key(|(at, _)| *at);
        for (at, thing) in changes {
            match thing {
                StepChange::ConditionChange(flip) => {
                    let cause = self.cause(utility, ledger, flip);
                    let act = match (flip.verdict.active, &cause) {
                        (true, Some(_)) => Act::Suppress(at),
                        (true, None) => Act::Raise(at),
                        (false, _) => Act::Clear(at),
                    };
                    turn(utility, ledger, &flip.about, act, flip.verdict.value, cause.clone());
                    hidden.insert(flip.about.source.clone(), hidden_by(ledger, &flip.about, cause, flip.verdict.value));
                }
                // The condition ends at once. The alarm remains until a user acknowledges it.
                StepChange::Failed(FailedCommand { about, at }) => {
                    turn(utility, ledger, about, Act::Raise(*at), None, None);
                    turn(utility, ledger, about, Act::Clear(*at), None, None);
                }
                StepChange::Breaker(breaker, bay_event, is_history) => {
                    let act = self.switched(utility, ledger, breaker, at, bay_event);
                    match (act, utility.bays.get(&breaker)) {
                        // A trip that was received late raises an alarm only if the breaker is still open after all events.
                        (Some(Act::Raise(_)), Some(_)) if is_history => {}
                        (Some(act), Some(bay)) => turn(utility, ledger, &bay.trip, act, None, None),
                        _ => {}
                    }
                }
            }
        }
        for breaker in &self.late {
            let opened = ledger.fault(*breaker).filter(|record| record.fault.is_open()).map(|record| record.fault.opened);
            if let (Some(bay), Some(at)) = (utility.bays.get(breaker), opened) {
                turn(utility, ledger, &bay.trip, Act::Raise(at), None, None);
            }
        }
        for Fold { about, cause, at } in &self.folds {
            let raised = ledger.alarm(&about.source).filter(|alarm| alarm.life.state == State::ActiveUnacked);
            let value = raised.and_then(|alarm| alarm.value);
            // An alarm from before its cause has another one. Only a relay operates before its breaker opens.
            let within = if utility.breaker_of(about).is_some() { OPENS_WITHIN_MS } else { CLOCKS_MS };
            if raised.and_then(|alarm| alarm.life.raised).is_some_and(|raised| at.millis_since(raised) <= within) {
                turn(utility, ledger, about, Act::Suppress(*at), None, Some(cause.clone()));
                hidden.insert(about.source.clone(), hidden_by(ledger, about, Some(cause.clone()), value));
            }
        }
        for breaker in &self.touched {
            let Some(record) = ledger.fault(*breaker) else { continue };
            let mut fault = record.fault;
            let has_more = fault.take_currents(self.currents_at(utility, *breaker, fault.opened));
            if fault.time(ledger.now) || has_more {
                let record = FaultRecord { fault, ..record.clone() };
                ledger.put_fault(record);
            }
        }
        for source in &self.orphans {
            let Some(mut alarm) = ledger.alarm(source).cloned() else { continue };
            if let Some(change) = alarm.life.step(Act::Clear(ledger.now)).change() {
                ledger.put_alarm(alarm, change);
            }
        }
        for about in &self.restated {
            let Some(mut alarm) = ledger.alarm(&about.source).cloned() else { continue };
            if alarm.life.state.is_active() && about.differs(&alarm) {
                about.restate(&mut alarm);
                ledger.put_alarm(alarm, Change::Changed);
            }
        }
        for source in &self.shelves {
            let Some(mut alarm) = ledger.alarm(source).cloned() else { continue };
            if let Some(change) = alarm.life.step(Act::Time(ledger.now)).change() {
                (alarm.shelved_by, alarm.shelved_reason) = (None, None);
                ledger.put_alarm(alarm, change);
            }
        }
        hidden
    }

    /// Returns the source of the alarm that is the cause of an alarm.
    fn cause(&self, utility: &Utility, ledger: &Ledger, flip: &ConditionChange) -> Option<String> {
        if !flip.verdict.active || flip.outlives_cause {
            return None;
        }
        let Some(breaker) = utility.breaker_of(&flip.about) else {
            let found = utility.cause_of(&flip.about, flip.verdict.at)?;
            let is_active = ledger.alarm(&found.source).is_some_and(|alarm| alarm.life.state.is_active()) || self.raises(&found.source);
            return (found.has_ended || is_active).then_some(found.source);
        };
        let trips_with_it = |opened: Micros| (0..=OPENS_WITHIN_MS).contains(&opened.millis_since(flip.verdict.at));
        let is_opening = |moved: &(PointId, Micros, BayEvent, bool)| {
            moved.0 == breaker && matches!(moved.2, BayEvent::Opened { .. }) && trips_with_it(moved.1)
        };
        let has_fault = ledger.fault(breaker).is_some_and(|record| trips_with_it(record.fault.opened));
        (has_fault || self.breakers.iter().any(is_opening)).then(|| trip_source(breaker))
    }

    /// Returns whether the work raises the alarm of a cause. By its source time, the cause may be later than its consequence.
    fn raises(&self, source: &str) -> bool {
        let is_trip = |(breaker, _, bay_event, is_history): &(PointId, Micros, BayEvent, bool)| {
            !is_history && matches!(bay_event, BayEvent::Opened { .. }) && trip_source(*breaker) == source
        };
        self.flips.iter().any(|flip| flip.verdict.active && flip.about.source == source) || self.breakers.iter().any(is_trip)
    }

    /// Returns the fault currents of an opening, from the bus or else from the database.
    fn currents_at(&self, utility: &Utility, breaker: PointId, opened: Micros) -> [Option<f64>; 3] {
        let published = utility.currents_at(breaker, opened);
        match self.currents.get(&(breaker, opened)) {
            Some(stored) if published.contains(&None) => *stored,
            _ => published,
        }
    }

    /// Applies a movement of a breaker to the faults of its bay. Returns the change of the trip alarm.
    fn switched(&self, utility: &Utility, ledger: &mut Ledger, breaker: PointId, at: Micros, bay_event: BayEvent) -> Option<Act> {
        let bay = utility.bays.get(&breaker)?;
        let last = ledger.fault(breaker).cloned();
        let (mut record, begins) = match fault::step(last.as_ref().map(|last| &last.fault), at, bay_event) {
            Effect::Begins(fault) => (begin(utility, bay, breaker, fault), true),
            Effect::Goes(fault) => match last {
                Some(last) => (FaultRecord { fault, ..last }, false),
                None => return None,
            },
            Effect::Nothing => return None,
        };
        record.fault.take_currents(self.currents_at(utility, breaker, record.fault.opened));
        let is_open = record.fault.is_open();
        ledger.put_fault(record);
        // A further trip within a fault raises the alarm again, so that a user who has acknowledged the first one also sees the second.
        Some(if is_open || begins { Act::Raise(at) } else { Act::Clear(at) })
    }
}

fn bay_event(event: &FieldEvent) -> Option<BayEvent> {
    match Position::decode(event.event.encoding, event.event.value?) {
        Position::Open => Some(BayEvent::Opened { by_protection: event.by_protection, ordered: event.ordered }),
        Position::Closed => Some(BayEvent::Closed),
        _ => None,
    }
}

/// Raises, suppresses or clears an alarm.
fn turn(utility: &Utility, ledger: &mut Ledger, about: &Arc<About>, act: Act, value: Option<f64>, cause: Option<String>) {
    let mut alarm = ledger.alarm(&about.source).cloned().unwrap_or_else(|| about.begin(utility.client));
    let before = alarm.life.state;
    let Some(change) = alarm.life.step(act).change() else { return };
    if change == Change::Raised || before == State::Normal {
        about.restate(&mut alarm);
        // An alarm that outlasted its cause keeps the value with which it began.
        alarm.value = if before == State::Suppressed { alarm.value } else { value };
        if alarm.life.count == 1 {
            (alarm.acknowledged_by, alarm.owner, alarm.note) = (None, None, None);
        }
    }
    (alarm.cause, alarm.cause_id) = (cause.filter(|_| alarm.life.state == State::Suppressed), None);
    ledger.put_alarm(alarm, change);
}

/// Returns the suppression of a condition whose row shows an earlier occurrence that is not acknowledged.
fn hidden_by(ledger: &Ledger, about: &About, cause: Option<String>, value: Option<f64>) -> Option<Suppression> {
    let is_hidden = ledger.alarm(&about.source).is_some_and(|alarm| alarm.life.state == State::ClearedUnacked);
    cause.filter(|_| is_hidden).map(|cause| Suppression { cause: Some(cause), ended: None, is_hidden: true, value })
}

fn begin(utility: &Utility, bay: &Bay, breaker: PointId, fault: Fault) -> FaultRecord {
    FaultRecord {
        client: utility.client,
        id: 0,
        breaker,
        asset: bay.asset,
        asset_name: bay.asset_name.clone(),
        location: bay.location,
        location_name: bay.location_name.clone(),
        customers: bay.customers,
        fault,
        offset: 0,
    }
}
