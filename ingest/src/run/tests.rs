//! Tests the main loop without broker and database.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use field::client::PublishError;
use store::writer::DeadLetter;

use super::*;
use crate::parcel::Origin;
use crate::writer::Stored;

/// Simulated environment: the inputs of the loop, and counts of its actions.
#[derive(Default)]
struct Desk {
    now: Cell<i64>,
    acknowledgements: Cell<Acknowledgements>,
    is_unsubscribed: Cell<bool>,
    readiness: RefCell<Vec<State>>,
    renewals: Cell<usize>,
    /// Number of published STATE messages. `signs_of_life` counts the heartbeats.
    states: Cell<usize>,
    signs_of_life: Cell<usize>,
}

impl Environment for Rc<Desk> {
    fn now(&self) -> Moment {
        let now = Micros(self.now.get() * 1_000_000);
        Moment { wall: now, steady: now }
    }

    fn set_readiness(&self, state: State) {
        self.readiness.borrow_mut().push(state);
    }

    fn is_connected(&self) -> bool {
        true
    }

    fn is_subscribed(&self) -> bool {
        !self.is_unsubscribed.get()
    }

    fn acknowledgements(&self) -> Acknowledgements {
        self.acknowledgements.get()
    }

    fn publish(&self, topic: &str, _: Vec<u8>, _: Qos, _: bool) -> Result<(), PublishError> {
        self.states.set(self.states.get() + usize::from(topic.contains("/STATE/")));
        Ok(())
    }

    fn resume(&self) {}

    fn renew(&self) {
        self.renewals.set(self.renewals.get() + 1);
    }

    fn broadcast(&self, message: BusMessage) {
        let is_alive = matches!(message, BusMessage::Alive { .. });
        self.signs_of_life.set(self.signs_of_life.get() + usize::from(is_alive));
    }

    fn request_proof(&self) {}

    fn discover(&self, _: NodeIndex, _: Discovery) {}

    fn read_links(&self) {}

    fn look_for_missed(&self, _: HashMap<ClientId, i64>) {}
}

/// Returns a connected loop with one writer, and the receiver of that writer's parcels.
fn connected() -> (Rc<Desk>, Ingest<Rc<Desk>>, mpsc::UnboundedReceiver<Parcel>) {
    let (desk, config) = (Rc::new(Desk::default()), IngestConfig::default());
    let host = Host::new(config.clone(), Micros(0), grid::Term(1));
    let presence = Presence::new(&config.host_id, config.will_delay);
    let (writer, parcels) = mpsc::unbounded_channel();
    let mut ingest = Ingest::new(config, Rc::clone(&desk), host, presence, vec![writer], HashMap::new());
    ingest.take_turn(Event::Up { connection: 1, session_present: false }, || None);
    (desk, ingest, parcels)
}

/// Advances the clock to `second`, with one tick each second.
fn pass(desk: &Desk, ingest: &mut Ingest<Rc<Desk>>, second: i64) {
    while desk.now.get() < second {
        desk.now.set(desk.now.get() + 1);
        ingest.tick();
    }
}

#[test]
fn row_that_stays_unstored_makes_ingest_not_ready_until_it_is_stored() {
    let (desk, mut ingest, mut parcels) = connected();
    let letter: DeadLetter = Origin::default().dead_letter(crate::decode::Reason::Topic, "");
    let mut parcel = Parcel::default();
    parcel.rows.dead.push(letter);
    ingest.act(Out { parcels: vec![parcel], ..Out::default() });
    pass(&desk, &mut ingest, 29);
    assert_eq!(*desk.readiness.borrow(), [State::Subscribed]);
    pass(&desk, &mut ingest, 60);
    assert_eq!(*desk.readiness.borrow(), [State::Subscribed, State::Stalled]);
    assert_eq!(desk.renewals.get(), 0, "another connection would not help");
    let parcel = parcels.try_recv().expect("the parcel");
    let stored = Stored { freed: parcel.held, handed_on: vec![parcel.handed_on], ..Stored::default() };
    ingest.stored(Outcome::Stored(stored));
    pass(&desk, &mut ingest, 61);
    assert_eq!(*desk.readiness.borrow(), [State::Subscribed, State::Stalled, State::Subscribed]);
}

#[test]
fn connection_whose_acknowledgements_stall_is_replaced_more_and_more_seldom() {
    let (desk, mut ingest, _parcels) = connected();
    desk.acknowledgements.set(Acknowledgements { sent: 4, waiting: 0 });
    pass(&desk, &mut ingest, 10);
    desk.acknowledgements.set(Acknowledgements { sent: 4, waiting: 2 });
    let mut second = 10;
    for (renewals, pause) in (1..).zip([30, 60, 120, 240, 300, 300]) {
        second += pause;
        pass(&desk, &mut ingest, second - 1);
        assert_eq!(desk.renewals.get(), renewals - 1, "before {second} s");
        pass(&desk, &mut ingest, second);
        assert_eq!(desk.renewals.get(), renewals, "after {second} s");
        ingest.take_turn(Event::Up { connection: 1, session_present: true }, || None);
        assert_eq!(desk.readiness.borrow().last(), Some(&State::Stalled), "it is not proven that the new connection helps");
    }
    desk.acknowledgements.set(Acknowledgements { sent: 6, waiting: 1 });
    pass(&desk, &mut ingest, second + 1);
    assert_eq!(desk.readiness.borrow().last(), Some(&State::Subscribed));
    pass(&desk, &mut ingest, second + 31);
    assert_eq!(desk.renewals.get(), 7, "the next one is the first again");
}

#[test]
fn stall_ends_when_nothing_waits_on_the_next_connection() {
    let (desk, mut ingest, _parcels) = connected();
    desk.acknowledgements.set(Acknowledgements { sent: 4, waiting: 2 });
    pass(&desk, &mut ingest, 31);
    assert_eq!(desk.renewals.get(), 1);
    desk.acknowledgements.set(Acknowledgements { sent: 4, waiting: 0 });
    pass(&desk, &mut ingest, 60);
    assert_eq!(desk.readiness.borrow().last(), Some(&State::Stalled));
    pass(&desk, &mut ingest, 62);
    assert_eq!(desk.readiness.borrow().last(), Some(&State::Subscribed));
}

#[test]
fn acknowledgements_have_their_limit_after_rows_were_stuck() {
    let (desk, mut ingest, mut parcels) = connected();
    let mut parcel = Parcel::default();
    parcel.rows.dead.push(Origin::default().dead_letter(crate::decode::Reason::Topic, ""));
    ingest.act(Out { parcels: vec![parcel], ..Out::default() });
    desk.acknowledgements.set(Acknowledgements { sent: 4, waiting: 2 });
    pass(&desk, &mut ingest, 60);
    let parcel = parcels.try_recv().expect("the parcel");
    ingest.stored(Outcome::Stored(Stored { freed: parcel.held, handed_on: vec![parcel.handed_on], ..Stored::default() }));
    pass(&desk, &mut ingest, 89);
    assert_eq!(desk.renewals.get(), 0, "they waited for the row");
    pass(&desk, &mut ingest, 90);
    assert_eq!(desk.renewals.get(), 1);
}

#[test]
fn state_and_signs_of_life_wait_for_granted_subscriptions() {
    let (desk, mut ingest, _parcels) = connected();
    ingest.stored(Outcome::Able { writer: 0, able: true });
    ingest.take_turn(Event::Down { connection: 1, reason: String::new(), taken_over: false }, || None);
    desk.is_unsubscribed.set(true);
    let before = (desk.states.get(), desk.signs_of_life.get());
    ingest.take_turn(Event::Up { connection: 2, session_present: true }, || None);
    pass(&desk, &mut ingest, 20);
    assert_eq!((desk.states.get(), desk.signs_of_life.get()), before);
    assert_eq!(desk.readiness.borrow().last(), Some(&State::Starting));
    desk.is_unsubscribed.set(false);
    pass(&desk, &mut ingest, 21);
    assert_eq!((desk.states.get(), desk.signs_of_life.get()), (before.0 + 1, before.1 + 1));
    assert_eq!(desk.readiness.borrow().last(), Some(&State::Subscribed));
}
