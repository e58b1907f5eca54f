//! 100,000 random schedules of one breaker: two operators, repeated requests, a service that crashes around its COMMIT, a network that
//! loses, duplicates and delays messages, an RTU that does not answer or restarts. The invariants are checked after each step: a command
//! acts at most once, a selection is exclusive, and success means feedback.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use grid::control::machine::{Answer, Effect, Event, Now, Object, Order, Step, Timing, step};
use grid::control::{Action, CommandId, GatewayAnswer, Holder, State, Support, Throw};
use grid::position::Position;
use grid::{MemberId, Micros, Quality};
use proptest::prelude::*;

const OPERATORS: [Holder; 2] = [Holder { member: MemberId(1), session: 1 }, Holder { member: MemberId(2), session: 2 }];
/// Age above which the RTU refuses a message, ms.
const ORDER_MS: i64 = 5_000;
const TRAVEL_MS: i64 = 60;

#[derive(Clone, Copy)]
struct Sent {
    action: Action,
    id: CommandId,
    target: Throw,
    expires: i64,
}

#[derive(Clone)]
enum ServiceInput {
    Answer(CommandId, GatewayAnswer),
    Position(Position, i64),
    Died,
}

/// The simulated RTU. It writes an id to its journal before it acts, and never acts on an id that is already there.
struct Rtu {
    position: Position,
    journal: BTreeSet<CommandId>,
    select: Option<(CommandId, Throw, i64)>,
    moving: Option<(Throw, i64)>,
    executed: Vec<CommandId>,
    history: Vec<(Position, i64)>,
}

struct World {
    ms: i64,
    object: Object,
    /// The committed states per command, in order: the audit record.
    records: BTreeMap<CommandId, Vec<State>>,
    holders: BTreeMap<CommandId, Holder>,
    issued: BTreeMap<CommandId, i64>,
    targets: BTreeMap<CommandId, Throw>,
    next: u128,
    to_rtu: VecDeque<Sent>,
    to_service: VecDeque<ServiceInput>,
    rtu: Rtu,
}

impl World {
    fn new() -> Self {
        let object = Object { support: Support { direct: true, sbo: true }, timing: Timing::new(false), command: None };
        let rtu = Rtu {
            position: Position::Open,
            journal: BTreeSet::new(),
            select: None,
            moving: None,
            executed: Vec::new(),
            history: Vec::new(),
        };
        Self {
            ms: 0,
            object,
            records: BTreeMap::new(),
            holders: BTreeMap::new(),
            issued: BTreeMap::new(),
            targets: BTreeMap::new(),
            next: 1,
            to_rtu: VecDeque::new(),
            to_service: VecDeque::new(),
            rtu,
        }
    }

    /// Runs one transaction and its effects. `crash`: 0 none, 1 before the COMMIT, 2 right after it, 3 between the effects.
    fn service(&mut self, event: Event, crash: u8) -> Option<Answer> {
        let before = self.object.command;
        let now = Now { wall: Micros::from_millis(self.ms), monotonic_ms: self.ms };
        let Step { object, changes, effects, answer } = step(self.object, event, now);
        if crash == 1 {
            self.restart();
            return None;
        }
        self.object = object;
        for change in changes {
            let states = self.records.entry(change.id).or_default();
            if let Some(last) = states.last() {
                assert!(last.may_become(change.state), "{:?} after {states:?}", change.state);
            } else {
                assert_eq!(change.state, State::Requested);
            }
            states.push(change.state);
            if change.state == State::Done {
                let (target, issued) = (self.targets[&change.id], self.issued[&change.id]);
                let seen = self.rtu.history.iter().any(|(position, at)| *position == target.position() && *at >= issued);
                assert!(seen, "done without the position");
            }
        }
        if let (Some(before), Some(after)) = (before, object.command)
            && before.id != after.id
        {
            assert!(self.records[&before.id].last().is_some_and(|state| state.is_final()), "taken over from somebody who still had it");
        }
        if let Some(command) = object.command {
            self.issued.insert(command.id, command.issued.millis());
            assert_eq!(*self.holders.entry(command.id).or_insert(command.holder), command.holder);
        }
        let survive = [usize::MAX, 0, 0, 1][usize::from(crash)];
        for effect in effects.into_iter().take(survive) {
            if let Effect::Publish { action, id, target, .. } = effect {
                self.to_rtu.push_back(Sent { action, id, target, expires: self.ms + ORDER_MS });
            }
        }
        if crash > 0 {
            self.restart();
            return None;
        }
        Some(answer)
    }

    /// Restarts the service; messages on their way to it are lost.
    fn restart(&mut self) {
        self.to_service.clear();
        self.service(Event::Restarted, 0);
    }

    fn stands(&self) -> Throw {
        Throw::of(self.rtu.position).unwrap_or(Throw::Open)
    }

    fn order(&mut self, who: usize, id: CommandId) -> Order {
        let from = self.stands();
        let target = *self.targets.entry(id).or_insert(from.other());
        Order { id, holder: OPERATORS[who], from: target.other(), target, refusal: None }
    }

    fn fresh(&mut self) -> CommandId {
        self.next += 1;
        CommandId(self.next)
    }

    /// Sends a request of a user. Ids are never reused: a repeated request for a completed command gets its first answer from the record.
    fn ask(&mut self, who: usize, retry: bool, direct: bool, crash: u8) {
        let id = if retry { CommandId(self.next) } else { self.fresh() };
        if self.records.contains_key(&id) && self.object.command.is_none_or(|command| command.id != id) {
            return;
        }
        let order = self.order(who, id);
        self.service(if direct { Event::Direct(order) } else { Event::Select(order) }, crash);
    }

    fn operate(&mut self, who: usize, crash: u8) {
        let id = self.object.command.map_or(CommandId(self.next), |command| command.id);
        let order = self.order(who, id);
        self.service(Event::Operate(order), crash);
    }

    fn say(&mut self, input: ServiceInput) {
        self.to_service.push_back(input);
    }

    /// The RTU receives the oldest message. It may not answer, or may restart right after the journal entry.
    fn rtu(&mut self, silent: bool, dies: bool) {
        let Some(sent) = self.to_rtu.pop_front() else { return };
        let refuse = |world: &mut Self| {
            if !silent {
                world.say(ServiceInput::Answer(sent.id, GatewayAnswer::Refused));
            }
        };
        if self.ms > sent.expires || silent && dies {
            return refuse(self);
        }
        self.rtu.select = self.rtu.select.filter(|(_, _, until)| self.ms < *until);
        let answer = match sent.action {
            Action::Select if self.rtu.select.is_some() || self.rtu.journal.contains(&sent.id) => return refuse(self),
            Action::Select => {
                self.rtu.select = Some((sent.id, sent.target, self.ms + 30_000));
                GatewayAnswer::Selected
            }
            Action::Cancel => {
                self.rtu.select = self.rtu.select.filter(|(id, _, _)| *id != sent.id);
                GatewayAnswer::Cancelled
            }
            Action::Execute if self.rtu.select.is_none_or(|(id, target, _)| (id, target) != (sent.id, sent.target)) => return refuse(self),
            Action::Execute | Action::Direct if self.rtu.moving.is_some() || !self.rtu.journal.insert(sent.id) => return refuse(self),
            Action::Execute | Action::Direct => {
                self.rtu.select = None;
                if dies {
                    return self.die(Some(sent.id));
                }
                assert!(self.records[&sent.id].contains(&State::Sent), "executed what is not on record");
                self.rtu.executed.push(sent.id);
                self.rtu.moving = Some((sent.target, self.ms + TRAVEL_MS));
                self.report(Position::Intermediate);
                GatewayAnswer::Accepted
            }
        };
        if !silent {
            self.say(ServiceInput::Answer(sent.id, answer));
        }
    }

    fn report(&mut self, position: Position) {
        self.rtu.position = position;
        self.rtu.history.push((position, self.ms));
        self.say(ServiceInput::Position(position, self.ms));
    }

    /// Restarts the RTU, which then reports its position. A moving switch completes its movement.
    fn die(&mut self, unfinished: Option<CommandId>) {
        self.rtu.select = None;
        self.say(ServiceInput::Died);
        if let Some(id) = unfinished {
            self.say(ServiceInput::Answer(id, GatewayAnswer::Unknown));
        }
        self.report(self.rtu.position);
    }

    fn pass(&mut self, ms: i64) {
        self.ms += ms;
        if let Some((target, at)) = self.rtu.moving.filter(|(_, at)| *at <= self.ms) {
            let _ = at;
            self.rtu.moving = None;
            self.report(target.position());
        }
    }

    fn receive(&mut self, crash: u8) {
        let Some(input) = self.to_service.pop_front() else { return };
        let event = match input {
            ServiceInput::Answer(id, answer) => Event::Answered { id, answer, cause: None },
            ServiceInput::Position(position, at) => Event::Position { position, quality: Quality::Good, source: Micros::from_millis(at) },
            ServiceInput::Died => Event::LinkLost,
        };
        self.service(event, crash);
    }

    fn play(&mut self, what: u8, how: u8) {
        let (who, crash) = (usize::from(how & 1), if how >> 5 == 0 { how >> 1 & 3 } else { 0 });
        let (one, other) = (how & 2 != 0, how & 4 != 0);
        match what % 20 {
            0 | 1 => self.ask(who, one && other, false, crash),
            2 => self.ask(who, one && other, true, crash),
            3 | 4 => self.operate(who, crash),
            5 => {
                self.service(Event::Cancel { holder: OPERATORS[who], id: None }, crash);
            }
            6 => {
                self.service(Event::SessionEnded(OPERATORS[who]), crash);
            }
            7..=9 => self.rtu(how & 0x70 == 0, how & 0x0e == 0),
            10..=13 => self.receive(crash),
            14 => self.pass(i64::from(how) * 4),
            15 => {
                self.pass(i64::from(how) * 200);
                self.service(Event::Tick, crash);
            }
            16 => self.to_rtu.extend(self.to_rtu.front().copied()),
            17 => self.to_service.extend(self.to_service.front().cloned()),
            18 if one => drop(self.to_rtu.pop_front()),
            18 => drop(self.to_service.pop_front()),
            _ if one => self.die(None),
            _ => self.report(Position::Open),
        }
        self.hold();
    }

    /// Checks the invariants.
    fn hold(&self) {
        let mut executed = self.rtu.executed.clone();
        executed.sort();
        assert!(executed.windows(2).all(|pair| pair[0] != pair[1]), "executed twice: {executed:?}");
        let open: Vec<CommandId> =
            self.records.iter().filter(|(_, states)| states.last().is_some_and(|state| !state.is_final())).map(|(id, _)| *id).collect();
        let held: Vec<CommandId> = self.object.command.iter().map(|command| command.id).collect();
        assert_eq!(open, held, "the one that has the point is the only one that is open");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_runs_twice_or_unrecorded_or_succeeds_unseen(schedule in proptest::collection::vec(any::<(u8, u8)>(), 4..48)) {
        let mut world = World::new();
        for (what, how) in schedule {
            world.play(what, how);
        }
        // When all times have passed, the point is not reserved.
        world.pass(60_000);
        world.service(Event::Tick, 0);
        prop_assert_eq!(world.object.command, None);
        world.hold();
    }
}

#[test]
fn the_schedules_reach_every_outcome() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let (mut runner, mut reached, mut executed) = (TestRunner::deterministic(), BTreeMap::<&str, u32>::new(), 0);
    let strategy = proptest::collection::vec(any::<(u8, u8)>(), 4..48);
    for _ in 0..10_000 {
        let mut world = World::new();
        for (what, how) in strategy.new_tree(&mut runner).expect("a schedule").current() {
            world.play(what, how);
        }
        executed += world.rtu.executed.len();
        for state in world.records.values().flatten() {
            *reached.entry(state.as_str()).or_default() += 1;
        }
    }
    assert_eq!(reached.len(), State::ALL.len(), "{reached:?}");
    assert!(executed > 500 && reached.values().all(|count| *count > 20), "{executed} executions, {reached:?}");
}
