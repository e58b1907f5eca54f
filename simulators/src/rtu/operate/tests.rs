//! Tests of each reason to refuse a command, and of each way to accept one.

use ed25519_dalek::{Signer as _, SigningKey};
use field::command::Seal;

use super::*;
use crate::utility;

const NOW: u64 = 1_800_000_000_000;
const ID: CommandId = CommandId(1);

fn quayside() -> Substation {
    utility::demo(33).clients.remove(0).substations.into_iter().find(|substation| substation.code == "QUAYSIDE").unwrap()
}

fn control(gate: Option<SignatureCheck>) -> Control {
    Control::new("G", &quayside(), gate)
}

fn order(action: Action, id: CommandId) -> Order {
    Order {
        asset: "F1CB".into(),
        id,
        action,
        target: Throw::Open,
        from: Throw::Closed,
        operator: "A".into(),
        expires_at: NOW + 5_000,
        seal: None,
    }
}

struct Bench {
    control: Control,
    journal: Journal,
    uptime: u64,
    local: bool,
    stands: BTreeMap<&'static str, SwitchState>,
}

impl Bench {
    fn new(gate: Option<SignatureCheck>) -> Self {
        let stands = BTreeMap::from([
            ("F1CB", SwitchState::At(Throw::Closed)),
            ("F1ES", SwitchState::At(Throw::Open)),
            ("F1IS", SwitchState::At(Throw::Closed)),
        ]);
        Self { control: control(gate), journal: Journal::open(None, NOW).unwrap(), uptime: 0, local: false, stands }
    }

    fn give_as(&mut self, device: &str, order: &Order, retained: bool) -> Decision {
        let Self { control, journal, uptime, local, stands } = self;
        let switch_state = |code: &str| stands.get(code).copied();
        let scene = Scene { journal, switch_state: &switch_state, local: *local, now: NOW, uptime: *uptime };
        control.decide(device, order, retained, &scene)
    }

    fn give(&mut self, order: &Order) -> Decision {
        self.give_as("F1", order, false)
    }
}

fn refused(cause: u8) -> Decision {
    Decision::Say(GatewayAnswer::Refused, AddCause::from_code(cause.into()))
}

fn answered(answered: GatewayAnswer) -> Decision {
    Decision::Say(answered, None)
}

#[test]
fn each_reason_refuses_by_its_cause() {
    let direct = || order(Action::Direct, ID);
    let cases: [(&str, Order, u8); 8] = [
        ("expired", Order { expires_at: NOW, ..direct() }, 16),
        ("valid for too long", Order { expires_at: NOW + LONGEST_MS + 1, ..direct() }, 26),
        ("an unknown asset", Order { asset: "F99CB".into(), ..direct() }, 1),
        ("an asset that is no switch", Order { asset: "F1".into(), ..direct() }, 1),
        ("a switch that is moved by hand", Order { asset: "F1IS".into(), ..direct() }, 1),
        ("another position than the sender believes", Order { from: Throw::Open, target: Throw::Closed, ..direct() }, 26),
        ("already there", Order { target: Throw::Closed, ..direct() }, 5),
        ("not selected", order(Action::Execute, ID), 18),
    ];
    for (why, order, cause) in cases {
        assert_eq!(Bench::new(None).give(&order), refused(cause), "{why}");
    }
    assert_eq!(Bench::new(None).give_as("F1", &direct(), true), refused(26), "kept by the broker");
    assert_eq!(Bench::new(None).give_as("F2", &direct(), false), refused(1), "another device's asset");
    let mut bench = Bench::new(None);
    bench.local = true;
    assert_eq!(bench.give(&direct()), refused(2));
    let mut bench = Bench::new(None);
    bench.stands.insert("F1CB", SwitchState::Moving);
    assert_eq!(bench.give(&direct()), refused(12));
    assert_eq!(Bench::new(None).give(&direct()), Decision::Act);
}

#[test]
fn an_order_of_the_service_is_good_for_long_enough() {
    assert_eq!(Bench::new(None).give(&Order { expires_at: NOW + 7_000, ..order(Action::Direct, ID) }), Decision::Act);
    assert_eq!(Bench::new(None).give(&Order { expires_at: NOW + 7_001, ..order(Action::Direct, ID) }), refused(26));
}

#[test]
fn the_second_look_sees_what_has_changed() {
    let direct = order(Action::Direct, ID);
    let look = |change: &dyn Fn(&mut Bench), order: &Order| {
        let mut bench = Bench::new(None);
        change(&mut bench);
        let switch_state = |code: &str| bench.stands.get(code).copied();
        let scene = Scene { journal: &bench.journal, switch_state: &switch_state, local: bench.local, now: NOW, uptime: 0 };
        bench.control.second_look(order, &scene).map(AddCause::code)
    };
    assert_eq!(look(&|_| {}, &direct), None);
    assert_eq!(look(&|_| {}, &Order { expires_at: NOW, ..direct.clone() }), Some(16));
    assert_eq!(look(&|bench| bench.local = true, &direct), Some(2));
    assert_eq!(look(&|bench| bench.stands.extend([("F1CB", SwitchState::Moving)]), &direct), Some(12));
    assert_eq!(look(&|bench| bench.stands.extend([("F1CB", SwitchState::At(Throw::Open))]), &direct), Some(26));
    let close = Order { from: Throw::Open, target: Throw::Closed, ..direct };
    let earthed =
        |bench: &mut Bench| bench.stands.extend([("F1CB", SwitchState::At(Throw::Open)), ("F1ES", SwitchState::At(Throw::Closed))]);
    assert_eq!(look(&earthed, &close), Some(10));
}

#[test]
fn nothing_is_closed_onto_earth() {
    let close = Order { from: Throw::Open, target: Throw::Closed, ..order(Action::Direct, ID) };
    for (earth, decision) in
        [(SwitchState::At(Throw::Closed), refused(10)), (SwitchState::Moving, refused(10)), (SwitchState::At(Throw::Open), Decision::Act)]
    {
        let mut bench = Bench::new(None);
        bench.stands.extend([("F1CB", SwitchState::At(Throw::Open)), ("F1ES", earth)]);
        assert_eq!(bench.give(&close), decision, "{earth:?}");
    }
}

#[test]
fn a_select_is_held_for_its_time_by_one_command() {
    let mut bench = Bench::new(None);
    assert_eq!(bench.give(&order(Action::Select, ID)), answered(GatewayAnswer::Selected));
    assert_eq!(bench.give(&order(Action::Select, CommandId(2))), refused(19));
    assert_eq!(bench.give(&order(Action::Direct, CommandId(2))), refused(27));
    assert_eq!(bench.give(&order(Action::Execute, CommandId(2))), refused(18));
    bench.uptime = SELECT_MS - 1;
    assert_eq!(bench.give(&order(Action::Select, ID)), answered(GatewayAnswer::Selected), "a doubled packet, which gives no more time");
    bench.uptime = SELECT_MS;
    assert_eq!(bench.give(&order(Action::Execute, ID)), refused(18), "the time is over");
    assert_eq!(bench.give(&order(Action::Select, ID)), answered(GatewayAnswer::Selected));
    assert_eq!(bench.give(&order(Action::Execute, ID)), Decision::Act);
}

#[test]
fn a_second_step_that_differs_ends_the_first() {
    let mut bench = Bench::new(None);
    bench.give(&order(Action::Select, ID));
    assert_eq!(bench.give(&Order { target: Throw::Closed, from: Throw::Open, ..order(Action::Execute, ID) }), refused(26));
    assert_eq!(bench.give(&order(Action::Execute, ID)), refused(18));
}

#[test]
fn a_cancel_ends_its_own_select_only() {
    let mut bench = Bench::new(None);
    bench.give(&order(Action::Select, ID));
    assert_eq!(bench.give(&order(Action::Cancel, CommandId(2))), answered(GatewayAnswer::Cancelled), "nothing to cancel is all right");
    assert_eq!(bench.give(&order(Action::Select, CommandId(2))), refused(19));
    assert_eq!(bench.give(&order(Action::Cancel, ID)), answered(GatewayAnswer::Cancelled));
    assert_eq!(bench.give(&order(Action::Select, CommandId(2))), answered(GatewayAnswer::Selected));
}

#[test]
fn what_is_in_the_journal_is_answered_and_never_acted_on_again() {
    let mut bench = Bench::new(None);
    bench.journal.begin(ID, "F1", "F1CB", NOW).unwrap();
    for retained in [false, true] {
        assert_eq!(bench.give_as("F1", &order(Action::Direct, ID), retained), answered(GatewayAnswer::Accepted));
    }
    assert_eq!(bench.give(&order(Action::Cancel, ID)), answered(GatewayAnswer::Accepted), "too late to cancel");
    bench.journal.boot();
    assert_eq!(bench.give(&order(Action::Direct, ID)), answered(GatewayAnswer::Unknown));
    assert_eq!(bench.give(&order(Action::Execute, ID)), answered(GatewayAnswer::Unknown));
    bench.journal.finish(ID).unwrap();
    assert_eq!(bench.give(&order(Action::Direct, ID)), answered(GatewayAnswer::Terminated));
}

#[test]
fn with_a_key_only_its_owner_is_obeyed_and_only_in_this_boot() {
    let (owner, stranger) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
    let gate = || Some(SignatureCheck { key: owner.verifying_key(), epoch: 7 });
    let sealed = |key: &SigningKey, device: &str, epoch: u64| {
        let order = order(Action::Direct, ID);
        let signature = key.sign(&order.signed("G", "QUAYSIDE", device, epoch)).to_bytes().to_vec();
        Order { seal: Some(Seal { epoch, signature }), ..order }
    };
    let good = sealed(&owner, "F1", 7);
    assert_eq!(Bench::new(gate()).give(&good), Decision::Act);
    let forged = [
        ("unsigned", Order { seal: None, ..good.clone() }),
        ("by somebody else", sealed(&stranger, "F1", 7)),
        ("for another boot", sealed(&owner, "F1", 6)),
        ("for another device", sealed(&owner, "F2", 7)),
        ("changed afterwards", Order { expires_at: NOW + 6_000, ..good.clone() }),
        ("cut short", Order { seal: Some(Seal { epoch: 7, signature: vec![0; 63] }), ..good.clone() }),
    ];
    for (why, order) in forged {
        assert_eq!(Bench::new(gate()).give(&order), refused(20), "{why}");
    }
}
