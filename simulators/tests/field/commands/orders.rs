//! Tests commands with their answers and positions, each refusal, restarts during a command, defects, and signatures.

use std::time::Duration;

use ed25519_dalek::{Signer as _, SigningKey};
use field::client::Qos;
use field::command::{Order, Seal};
use field::sparkplug::{Metric, MetricValue, Payload, REBIRTH};
use field::topic::{MessageKind, Topic};
use grid::control::{Action, GatewayAnswer, Throw};
use simulators::rtu::journal::Journal;
use simulators::rtu::link::now_ms;
use simulators::rtu::panel::Behaviour;

use super::bench::{Field, NODE, Seen, order};

#[tokio::test]
async fn a_direct_order_is_accepted_and_the_breaker_travels_and_its_current_goes() {
    let mut field = Field::running().await;
    let (issued, open) = (now_ms(), order("F1CB", Throw::Open));
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Accepted, None));
    let (intermediate, left) = field.status("F1CB/Pos").await;
    let (position, arrived) = field.status("F1CB/Pos").await;
    assert_eq!((intermediate, position), (0, 1));
    assert!(left >= issued && arrived >= left + 70, "issued {issued}, left {left}, arrived {arrived}");
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Terminated, None));
    field.settles("F1/Ir", |amperes| amperes.abs() < 1e-9).await;
    field.carry_out(&order("F1CB", Throw::Closed)).await;
    field.settles("F1/Ir", |amperes| amperes > 1.0).await;
}

#[tokio::test]
async fn select_before_operate_takes_both_steps() {
    let mut field = Field::running().await;
    let select = Order { action: Action::Select, ..order("F2CB", Throw::Open) };
    field.order(&select).await;
    assert_eq!(field.answer(select.id).await, (GatewayAnswer::Selected, None));
    let (other, direct) = (Order { action: Action::Select, ..order("F2CB", Throw::Open) }, order("F2CB", Throw::Open));
    field.order(&other).await;
    assert_eq!(field.answer(other.id).await, (GatewayAnswer::Refused, Some(19)));
    field.order(&direct).await;
    assert_eq!(field.answer(direct.id).await, (GatewayAnswer::Refused, Some(27)));
    assert_eq!(field.positions("F2CB"), [] as [i64; 0], "a select moves nothing");
    field.carry_out(&Order { action: Action::Execute, ..select.clone() }).await;
    assert_eq!(field.positions("F2CB"), [0, 1]);
    // A cancelled selection is no selection.
    let select = Order { action: Action::Select, ..order("F2CB", Throw::Closed) };
    field.order(&select).await;
    assert_eq!(field.answer(select.id).await, (GatewayAnswer::Selected, None));
    field.order(&Order { action: Action::Cancel, ..select.clone() }).await;
    assert_eq!(field.answer(select.id).await, (GatewayAnswer::Cancelled, None));
    field.order(&Order { action: Action::Execute, ..select.clone() }).await;
    assert_eq!(field.answer(select.id).await, (GatewayAnswer::Refused, Some(18)));
}

#[tokio::test]
async fn what_must_be_refused_is_refused_and_moves_nothing() {
    let mut field = Field::running().await;
    let open = || order("F1CB", Throw::Open);
    let cases = [
        ("expired", Order { expires_at: now_ms() - 1, ..open() }, 16),
        ("valid for hours", Order { expires_at: now_ms() + 7_200_000, ..open() }, 26),
        ("from another position", order("F1CB", Throw::Closed), 26),
        ("already there", Order { target: Throw::Closed, from: Throw::Closed, ..open() }, 5),
        ("no such asset", Order { asset: "F99CB".into(), ..open() }, 1),
        ("moved by hand only", order("F1IS", Throw::Open), 1),
        ("never selected", Order { action: Action::Execute, ..open() }, 18),
    ];
    for (why, order, cause) in cases {
        field.order(&order).await;
        assert_eq!(field.answer(order.id).await, (GatewayAnswer::Refused, Some(cause)), "{why}");
    }
    // Incomplete: the position before the command is missing.
    let incomplete = open();
    let mut payload = incomplete.encode(now_ms());
    payload.metrics.retain(|metric| metric.name.as_deref() != Some("F1CB/Oper/FromPos"));
    field.publish("F1", payload, false).await;
    assert_eq!(field.answer(incomplete.id).await, (GatewayAnswer::Refused, Some(26)));
    // The substation's switch is on local, and the RTU reports that.
    field.panel().local(true).await;
    assert_eq!(field.status("STN/Loc").await.0, 1);
    let remote = open();
    field.order(&remote).await;
    assert_eq!(field.answer(remote.id).await, (GatewayAnswer::Refused, Some(2)));
    field.panel().local(false).await;
    assert_eq!(field.status("STN/Loc").await.0, 0);
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
    field.carry_out(&open()).await;
    assert_eq!(field.positions("F1CB"), [0, 1]);
    // The earth switch behind the breaker is closed: the breaker must not be closed.
    field.panel().throw("F1ES", Throw::Closed).await;
    assert_eq!(field.status("F1ES/Pos").await.0, 1);
    let onto_earth = order("F1CB", Throw::Closed);
    field.order(&onto_earth).await;
    assert_eq!(field.answer(onto_earth.id).await, (GatewayAnswer::Refused, Some(10)));
}

#[tokio::test]
async fn an_order_that_the_broker_kept_is_refused() {
    let mut field = Field::host().await;
    let kept = order("F1CB", Throw::Open);
    field.publish("F1", kept.encode(now_ms()), true).await;
    field.start(None, None).await;
    assert_eq!(field.answer(kept.id).await, (GatewayAnswer::Refused, Some(26)));
    // An empty retained message removes it from the broker.
    let topic = Topic::edge(&field.group, MessageKind::DCmd, NODE, "F1").to_string();
    field.publisher.publish(&topic, Vec::new(), Qos::AtLeastOnce, true).await.expect("up");
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
}

#[tokio::test]
async fn a_repeated_order_acts_once() {
    let mut field = Field::running().await;
    let open = order("F1CB", Throw::Open);
    field.order(&open).await;
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Accepted, None));
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Accepted, None), "the doubled packet hears the same");
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Terminated, None));
    field.carry_out(&order("F1CB", Throw::Closed)).await;
    // Replayed while it has not expired and would be valid again.
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Terminated, None));
    field.carry_out(&order("F2CB", Throw::Open)).await;
    assert_eq!(field.positions("F1CB"), [0, 1, 0, 2]);
}

#[tokio::test]
async fn an_rtu_that_dies_half_way_reports_unknown_and_never_acts_again() {
    let mut field = Field::running().await;
    field.panel().behave("F1CB", Behaviour::DiesHalfWay).await;
    let open = order("F1CB", Throw::Open);
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Accepted, None));
    assert_eq!(field.status("F1CB/Pos").await.0, 0);
    field.until(|seen| (*seen == Seen::Death).then_some(())).await;
    let born =
        field.until(|seen| if let Seen::Born(name, value) = seen { (name == "F1CB/Pos").then_some(*value as i64) } else { None }).await;
    assert_eq!(born, 1, "the switch went on by its spring, and the birth tells where it stands");
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Unknown, None));
    // It is closed locally: now the command would be valid again.
    field.panel().throw("F1CB", Throw::Closed).await;
    while field.status("F1CB/Pos").await.0 != 2 {}
    let before = field.positions("F1CB").len();
    let again = Order { expires_at: now_ms() + 5_000, ..open.clone() };
    field.order(&again).await;
    assert!(matches!(field.answer(open.id).await, (GatewayAnswer::Terminated | GatewayAnswer::Unknown, None)));
    field.carry_out(&order("F2CB", Throw::Open)).await;
    assert_eq!(field.positions("F1CB").len(), before);
}

#[tokio::test]
async fn what_has_changed_while_the_journal_was_written_is_looked_at_again() {
    let mut field = Field::running().await;
    field.panel().behave("F1CB", Behaviour::SlowDisk(Duration::from_millis(700))).await;
    let late = Order { expires_at: now_ms() + 400, ..order("F1CB", Throw::Open) };
    field.order(&late).await;
    assert_eq!(field.answer(late.id).await, (GatewayAnswer::Refused, Some(16)), "it ran out meanwhile");
    field.order(&late).await;
    assert_eq!(field.answer(late.id).await, (GatewayAnswer::Terminated, None), "its entry is closed");
    let open = order("F1CB", Throw::Open);
    field.order(&open).await;
    field.panel().local(true).await;
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Refused, Some(2)), "the switch was turned meanwhile");
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
    field.panel().local(false).await;
    field.carry_out(&order("F1CB", Throw::Open)).await;
}

#[tokio::test]
async fn a_command_that_was_journalled_before_a_crash_is_never_begun_again() {
    let folder = std::env::temp_dir().join(format!("switchyard-rtu-{:x}", rand::random::<u64>()));
    let file = folder.join("quayside.journal");
    let open = order("F1CB", Throw::Open);
    // The crash: written to the journal, flushed, and nothing more.
    Journal::open(Some(&file), now_ms()).and_then(|mut journal| journal.begin(open.id, "F1", "F1CB", now_ms())).expect("a disk");
    let mut field = Field::host().await;
    field.start(Some(file.clone()), None).await;
    assert_eq!(field.answer(open.id).await, (GatewayAnswer::Unknown, None));
    field.order(&open).await;
    assert!(matches!(field.answer(open.id).await, (GatewayAnswer::Terminated | GatewayAnswer::Unknown, None)));
    let next = order("F2CB", Throw::Open);
    field.carry_out(&next).await;
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
    let reported = std::fs::read_to_string(&file).expect("the journal");
    assert!(reported.contains(&format!("begun {}", next.id)) && reported.contains(&format!("over {}", next.id)), "{reported}");
    std::fs::remove_dir_all(folder).expect("a folder");
}

#[tokio::test]
async fn switches_can_be_silent_or_stuck_or_slow() {
    let mut field = Field::running().await;
    field.panel().behave("F1CB", Behaviour::Silent).await;
    field.panel().behave("F2CB", Behaviour::Stuck).await;
    field.panel().behave("F3CB", Behaviour::Slow(Duration::from_millis(1_200))).await;
    let (silent, stuck, slow) = (order("F1CB", Throw::Open), order("F2CB", Throw::Open), order("F3CB", Throw::Open));
    field.order(&silent).await;
    field.order(&stuck).await;
    assert_eq!(field.answer(stuck.id).await, (GatewayAnswer::Accepted, None));
    field.order(&slow).await;
    let (_, left) = field.status("F3CB/Pos").await;
    let (position, arrived) = field.status("F3CB/Pos").await;
    assert_eq!((position, arrived - left), (1, 1_200));
    assert_eq!(field.answer(slow.id).await, (GatewayAnswer::Terminated, None));
    assert_eq!((field.answers(silent.id), field.positions("F1CB").len()), (0, 0));
    assert_eq!((field.answers(stuck.id), field.positions("F2CB").len()), (1, 0), "accepted, and no more");
}

#[tokio::test]
async fn with_a_key_only_signed_orders_of_this_boot_are_taken() {
    let mut field = Field::host().await;
    let key = SigningKey::from_bytes(&rand::random());
    let epoch = |seen: &Seen| if let Seen::NodeBirth(epoch) = seen { Some(*epoch) } else { None };
    field.start(None, Some(&key)).await;
    field.place = 0;
    let first = field.until(epoch).await.expect("an epoch in the birth");
    let sealed = |group: &str, epoch: u64| {
        let order = order("F1CB", Throw::Open);
        let signature = key.sign(&order.signed(group, NODE, "F1", epoch)).to_bytes().to_vec();
        Order { seal: Some(Seal { epoch, signature }), ..order }
    };
    let (unsigned, foreign) = (order("F1CB", Throw::Open), sealed("ELSEWHERE", first));
    for order in [&unsigned, &foreign] {
        field.order(order).await;
        assert_eq!(field.answer(order.id).await, (GatewayAnswer::Refused, Some(20)));
    }
    // After a restart the old boot number is not accepted any more.
    field.panel().die().await;
    field.until(|seen| (*seen == Seen::Death).then_some(())).await;
    let second = field.until(epoch).await.expect("an epoch in the birth");
    assert_ne!(second, first);
    let late = sealed(&field.group, first);
    field.order(&late).await;
    assert_eq!(field.answer(late.id).await, (GatewayAnswer::Refused, Some(20)));
    let good = sealed(&field.group, second);
    field.carry_out(&good).await;
    assert_eq!(field.positions("F1CB"), [0, 1]);
}

#[tokio::test]
async fn protection_is_reported_at_its_own_times() {
    let mut field = Field::running().await;
    field.panel().fault(0).await;
    assert_eq!(field.status("F1R/Op").await.0, 1);
    let (opened, at) = field.status("F1CB/Pos").await;
    let (closed, again) = field.status("F1CB/Pos").await;
    assert_eq!((opened, closed, again - at), (1, 2, 400), "it opens and recloses after 400 ms");
    // A requested birth reports the same position and loses nothing.
    let rebirth = Payload { metrics: vec![Metric::new(REBIRTH, MetricValue::Boolean(true))], ..Payload::default() };
    let topic = Topic::edge(&field.group, MessageKind::NCmd, NODE, "").to_string();
    field.publisher.publish(&topic, rebirth.encode(), Qos::AtLeastOnce, false).await.expect("up");
    let born =
        field.until(|seen| if let Seen::Born(name, value) = seen { (name == "F2CB/Pos").then_some(*value as i64) } else { None }).await;
    assert_eq!(born, 2);
}
