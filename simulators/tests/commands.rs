//! An RTU that is ordered to operate, through a real broker: orders go out as DCMD, answers and positions come back as DDATA.

use std::path::PathBuf;
use std::time::Duration;

use ed25519_dalek::{Signer as _, SigningKey};
use field::client::{Event, Events, Publisher, Qos, Settings, connect};
use field::command::{Answer, COMMAND_EPOCH, Order, Seal};
use field::sparkplug::{Payload, REBIRTH};
use field::topic::{Kind, Topic};
use grid::control::{Action, AddCause, CommandId, Said, Throw};
use simulators::clock::Clock;
use simulators::rtu::journal::Journal;
use simulators::rtu::link::{LinkConfig, now_ms};
use simulators::rtu::panel::{Behaviour, Panel};
use simulators::rtu::station::{self, Config};
use simulators::utility;
use tokio_util::sync::{CancellationToken, DropGuard};

const PATIENCE: Duration = Duration::from_secs(20);
const NODE: &str = "QUAYSIDE";

/// What the host sees of the RTU.
#[derive(Debug, Clone, PartialEq)]
enum Seen {
    Answer(CommandId, Said, Option<u8>),
    /// Metric, value, source time; from data messages.
    Value(String, f64, u64),
    /// The same from births.
    Born(String, f64),
    NodeBirth(Option<u64>),
    Death,
}

/// The host's side of one RTU, and the station's panel.
struct Field {
    group: String,
    publisher: Publisher,
    events: Events,
    seen: Vec<Seen>,
    /// Up to where `seen` has been looked at.
    place: usize,
    panel: Option<Panel>,
    _shutdown: DropGuard,
    shutdown: CancellationToken,
}

impl Field {
    /// Only the host; nothing runs yet.
    async fn host() -> Self {
        let group = testkit::unique("G");
        let settings = Settings {
            subscriptions: vec![(format!("spBv1.0/{group}/#"), Qos::AtLeastOnce)],
            ..Settings::new(testkit::shared_mqtt_url(), format!("host-{group}"))
        };
        let (publisher, mut events) = connect(settings).expect("good settings");
        while !matches!(tokio::time::timeout(PATIENCE, events.next()).await, Ok(Some(Event::Up { .. }))) {}
        let shutdown = CancellationToken::new();
        Self { group, publisher, events, seen: Vec::new(), place: 0, panel: None, _shutdown: shutdown.clone().drop_guard(), shutdown }
    }

    /// The RTU, with its journal and the key that it wants.
    async fn start(&mut self, journal: Option<PathBuf>, key: Option<&SigningKey>) {
        let substation =
            utility::demo(33).clients.remove(0).substations.into_iter().find(|substation| substation.code == NODE).expect("Quayside");
        let link = LinkConfig { mqtt_url: testkit::shared_mqtt_url(), group: self.group.clone(), node: NODE.into(), outboxes: None };
        let key = key.map(SigningKey::verifying_key);
        let config = Config { link, substation, seed: 5, clock: Clock::new(1.0), faults: false, journal, key };
        let (panel, rtu) = station::build(config).expect("a journal");
        self.panel = Some(panel);
        tokio::spawn(rtu.run(self.shutdown.clone()));
        self.until(|seen| matches!(seen, Seen::NodeBirth(_)).then_some(())).await;
    }

    async fn running() -> Self {
        let mut field = Self::host().await;
        field.start(None, None).await;
        field
    }

    fn panel(&self) -> &Panel {
        self.panel.as_ref().expect("a running RTU")
    }

    /// The next thing seen for which `pick` has an answer; what comes before it is passed over.
    async fn until<T>(&mut self, pick: impl Fn(&Seen) -> Option<T>) -> T {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        loop {
            while let Some(seen) = self.seen.get(self.place) {
                self.place += 1;
                if let Some(found) = pick(seen) {
                    return found;
                }
            }
            let Ok(Some(event)) = tokio::time::timeout_at(deadline, self.events.next()).await else {
                panic!("not seen in time, only: {:?}", self.interesting());
            };
            if let Event::Message(message) = event {
                self.read(&message.topic, &message.payload);
                if let Some(ack) = message.ack {
                    ack.done();
                }
            }
        }
    }

    fn read(&mut self, topic: &str, payload: &[u8]) {
        let Ok(Topic::Edge { kind, .. }) = Topic::parse(topic) else { return };
        let Ok(mut payload) = Payload::decode(payload) else { return };
        // Nobody acknowledges here, so everything comes again as history some day.
        payload.metrics.retain(|metric| !metric.historical);
        let values = payload.metrics.iter().filter_map(|metric| Some((metric.name.clone()?, metric.value.as_number()?, metric.timestamp?)));
        match kind {
            Kind::DData => {
                let answers = Answer::decode(&payload).into_iter();
                self.seen.extend(answers.map(|answer| Seen::Answer(answer.id, answer.said, answer.cause.map(AddCause::code))));
                self.seen.extend(values.map(|(name, value, at)| Seen::Value(name, value, at)));
            }
            Kind::DBirth => self.seen.extend(values.map(|(name, value, _)| Seen::Born(name, value))),
            Kind::NBirth => self.seen.push(Seen::NodeBirth(payload.metric(COMMAND_EPOCH).and_then(|metric| metric.value.as_u64()))),
            Kind::NDeath => self.seen.push(Seen::Death),
            _ => {}
        }
    }

    /// Answers and positions, for messages.
    fn interesting(&self) -> Vec<&Seen> {
        let told = |seen: &&Seen| !matches!(seen, Seen::Value(name, ..) | Seen::Born(name, _) if !name.ends_with("/Pos"));
        self.seen.iter().filter(told).collect()
    }

    /// The next answer to a command.
    async fn answer(&mut self, id: CommandId) -> (Said, Option<u8>) {
        self.until(|seen| if let Seen::Answer(of, said, cause) = seen { (*of == id).then_some((*said, *cause)) } else { None }).await
    }

    /// The next value of a metric: what and when.
    async fn value(&mut self, metric: &str) -> (f64, u64) {
        self.until(|seen| if let Seen::Value(name, value, at) = seen { (name == metric).then_some((*value, *at)) } else { None }).await
    }

    /// The next status of a metric, a whole number: what and when.
    async fn status(&mut self, metric: &str) -> (i64, u64) {
        let (value, at) = self.value(metric).await;
        (value as i64, at)
    }

    /// Waits until the newest value of a metric is as it should be.
    async fn settles(&mut self, metric: &str, fits: impl Fn(f64) -> bool) {
        let newest = |seen: &Seen| if let Seen::Value(name, value, _) = seen { (name == metric).then_some(*value) } else { None };
        while !self.seen.iter().rev().find_map(newest).is_some_and(&fits) {
            self.until(|_| Some(())).await;
        }
    }

    /// Every position of a switch seen so far.
    fn positions(&self, asset: &str) -> Vec<i64> {
        let metric = format!("{asset}/Pos");
        self.seen
            .iter()
            .filter_map(|seen| if let Seen::Value(name, value, _) = seen { (*name == metric).then_some(*value as i64) } else { None })
            .collect()
    }

    fn answers(&self, id: CommandId) -> usize {
        self.seen.iter().filter(|seen| matches!(seen, Seen::Answer(of, ..) if *of == id)).count()
    }

    async fn publish(&self, device: &str, payload: Payload, retain: bool) {
        let topic = Topic::edge(&self.group, Kind::DCmd, NODE, device).to_string();
        self.publisher
            .publish(&topic, payload.encode(), if retain { Qos::AtLeastOnce } else { Qos::AtMostOnce }, retain)
            .await
            .expect("up");
    }

    async fn order(&self, order: &Order) {
        let device = order.asset.trim_end_matches("CB").trim_end_matches("IS");
        self.publish(device, order.encode(now_ms()), false).await;
    }

    /// Gives an order and waits for its end.
    async fn carry_out(&mut self, order: &Order) {
        self.order(order).await;
        assert_eq!(self.answer(order.id).await, (Said::Accepted, None));
        assert_eq!(self.answer(order.id).await, (Said::Terminated, None));
    }
}

fn id() -> CommandId {
    CommandId(rand::random())
}

/// A direct order with a new id.
fn order(asset: &str, target: Throw) -> Order {
    Order {
        asset: asset.into(),
        id: id(),
        action: Action::Direct,
        target,
        from: target.other(),
        operator: "A. Nair".into(),
        expires_at: now_ms() + 5_000,
        seal: None,
    }
}

#[tokio::test]
async fn a_direct_order_is_accepted_and_the_breaker_travels_and_its_current_goes() {
    let mut field = Field::running().await;
    let (issued, open) = (now_ms(), order("F1CB", Throw::Open));
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (Said::Accepted, None));
    let (intermediate, left) = field.status("F1CB/Pos").await;
    let (position, arrived) = field.status("F1CB/Pos").await;
    assert_eq!((intermediate, position), (0, 1));
    assert!(left >= issued && arrived >= left + 70, "issued {issued}, left {left}, arrived {arrived}");
    assert_eq!(field.answer(open.id).await, (Said::Terminated, None));
    field.settles("F1/Ir", |amperes| amperes.abs() < 1e-9).await;
    field.carry_out(&order("F1CB", Throw::Closed)).await;
    field.settles("F1/Ir", |amperes| amperes > 1.0).await;
}

#[tokio::test]
async fn select_before_operate_takes_both_steps() {
    let mut field = Field::running().await;
    let select = Order { action: Action::Select, ..order("F2CB", Throw::Open) };
    field.order(&select).await;
    assert_eq!(field.answer(select.id).await, (Said::Selected, None));
    let (other, direct) = (Order { action: Action::Select, ..order("F2CB", Throw::Open) }, order("F2CB", Throw::Open));
    field.order(&other).await;
    assert_eq!(field.answer(other.id).await, (Said::Refused, Some(19)));
    field.order(&direct).await;
    assert_eq!(field.answer(direct.id).await, (Said::Refused, Some(27)));
    assert_eq!(field.positions("F2CB"), [] as [i64; 0], "a select moves nothing");
    field.carry_out(&Order { action: Action::Execute, ..select.clone() }).await;
    assert_eq!(field.positions("F2CB"), [0, 1]);
    // A cancelled select is none.
    let select = Order { action: Action::Select, ..order("F2CB", Throw::Closed) };
    field.order(&select).await;
    assert_eq!(field.answer(select.id).await, (Said::Selected, None));
    field.order(&Order { action: Action::Cancel, ..select.clone() }).await;
    assert_eq!(field.answer(select.id).await, (Said::Cancelled, None));
    field.order(&Order { action: Action::Execute, ..select.clone() }).await;
    assert_eq!(field.answer(select.id).await, (Said::Refused, Some(18)));
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
        assert_eq!(field.answer(order.id).await, (Said::Refused, Some(cause)), "{why}");
    }
    // Incomplete: it says what it is, but not from where.
    let incomplete = open();
    let mut payload = incomplete.encode(now_ms());
    payload.metrics.retain(|metric| metric.name.as_deref() != Some("F1CB/Oper/FromPos"));
    field.publish("F1", payload, false).await;
    assert_eq!(field.answer(incomplete.id).await, (Said::Refused, Some(26)));
    // The station's switch is on local, which the RTU tells.
    field.panel().local(true).await;
    assert_eq!(field.status("STN/Loc").await.0, 1);
    let remote = open();
    field.order(&remote).await;
    assert_eq!(field.answer(remote.id).await, (Said::Refused, Some(2)));
    field.panel().local(false).await;
    assert_eq!(field.status("STN/Loc").await.0, 0);
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
    field.carry_out(&open()).await;
    assert_eq!(field.positions("F1CB"), [0, 1]);
    // Earthed behind its breaker: nothing closes onto that.
    field.panel().throw("F1ES", Throw::Closed).await;
    assert_eq!(field.status("F1ES/Pos").await.0, 1);
    let onto_earth = order("F1CB", Throw::Closed);
    field.order(&onto_earth).await;
    assert_eq!(field.answer(onto_earth.id).await, (Said::Refused, Some(10)));
}

#[tokio::test]
async fn an_order_that_the_broker_kept_is_refused() {
    let mut field = Field::host().await;
    let kept = order("F1CB", Throw::Open);
    field.publish("F1", kept.encode(now_ms()), true).await;
    field.start(None, None).await;
    assert_eq!(field.answer(kept.id).await, (Said::Refused, Some(26)));
    // An empty retained message takes it off the broker.
    let topic = Topic::edge(&field.group, Kind::DCmd, NODE, "F1").to_string();
    field.publisher.publish(&topic, Vec::new(), Qos::AtLeastOnce, true).await.expect("up");
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
}

#[tokio::test]
async fn a_repeated_order_acts_once() {
    let mut field = Field::running().await;
    let open = order("F1CB", Throw::Open);
    field.order(&open).await;
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (Said::Accepted, None));
    assert_eq!(field.answer(open.id).await, (Said::Accepted, None), "the doubled packet hears the same");
    assert_eq!(field.answer(open.id).await, (Said::Terminated, None));
    field.carry_out(&order("F1CB", Throw::Closed)).await;
    // Replayed while it would fit again and has not expired.
    field.order(&open).await;
    assert_eq!(field.answer(open.id).await, (Said::Terminated, None));
    field.carry_out(&order("F2CB", Throw::Open)).await;
    assert_eq!(field.positions("F1CB"), [0, 1, 0, 2]);
}

#[tokio::test]
async fn an_rtu_that_dies_half_way_reports_unknown_and_never_acts_again() {
    let mut field = Field::running().await;
    field.panel().behave("F1CB", Behaviour::DiesHalfWay).await;
    let open = order("F1CB", Throw::Open);
    field.order(&open).await;
    field.until(|seen| (*seen == Seen::Death).then_some(())).await;
    let born =
        field.until(|seen| if let Seen::Born(name, value) = seen { (name == "F1CB/Pos").then_some(*value as i64) } else { None }).await;
    assert_eq!(born, 1, "the switch went on by its spring, and the birth tells where it stands");
    assert_eq!(field.answer(open.id).await, (Said::Unknown, None));
    // By hand it is closed again: now the order would fit once more.
    field.panel().throw("F1CB", Throw::Closed).await;
    while field.status("F1CB/Pos").await.0 != 2 {}
    let before = field.positions("F1CB").len();
    let again = Order { expires_at: now_ms() + 5_000, ..open.clone() };
    field.order(&again).await;
    assert!(matches!(field.answer(open.id).await, (Said::Terminated | Said::Unknown, None)));
    field.carry_out(&order("F2CB", Throw::Open)).await;
    assert_eq!(field.positions("F1CB").len(), before);
}

#[tokio::test]
async fn a_command_that_was_journalled_before_a_crash_is_never_begun_again() {
    let folder = std::env::temp_dir().join(format!("switchyard-rtu-{:x}", rand::random::<u64>()));
    let file = folder.join("quayside.journal");
    let open = order("F1CB", Throw::Open);
    // The crash: entered, flushed, and then nothing.
    Journal::open(Some(&file), now_ms()).and_then(|mut journal| journal.begin(open.id, "F1", "F1CB", now_ms())).expect("a disk");
    let mut field = Field::host().await;
    field.start(Some(file.clone()), None).await;
    assert_eq!(field.answer(open.id).await, (Said::Unknown, None));
    field.order(&open).await;
    assert!(matches!(field.answer(open.id).await, (Said::Terminated | Said::Unknown, None)));
    let next = order("F2CB", Throw::Open);
    field.carry_out(&next).await;
    assert_eq!(field.positions("F1CB"), [] as [i64; 0]);
    let told = std::fs::read_to_string(&file).expect("the journal");
    assert!(told.contains(&format!("begun {}", next.id)) && told.contains(&format!("over {}", next.id)), "{told}");
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
    assert_eq!(field.answer(stuck.id).await, (Said::Accepted, None));
    field.order(&slow).await;
    let (_, left) = field.status("F3CB/Pos").await;
    let (position, arrived) = field.status("F3CB/Pos").await;
    assert_eq!((position, arrived - left), (1, 1_200));
    assert_eq!(field.answer(slow.id).await, (Said::Terminated, None));
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
        assert_eq!(field.answer(order.id).await, (Said::Refused, Some(20)));
    }
    // After a restart the old number opens nothing any more.
    field.panel().die().await;
    field.until(|seen| (*seen == Seen::Death).then_some(())).await;
    let second = field.until(epoch).await.expect("an epoch in the birth");
    assert_ne!(second, first);
    let late = sealed(&field.group, first);
    field.order(&late).await;
    assert_eq!(field.answer(late.id).await, (Said::Refused, Some(20)));
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
    // A birth on request tells the same position and loses nothing.
    let rebirth = Payload {
        metrics: vec![field::sparkplug::Metric::new(REBIRTH, field::sparkplug::MetricValue::Boolean(true))],
        ..Payload::default()
    };
    let topic = Topic::edge(&field.group, Kind::NCmd, NODE, "").to_string();
    field.publisher.publish(&topic, rebirth.encode(), Qos::AtLeastOnce, false).await.expect("up");
    let born =
        field.until(|seen| if let Seen::Born(name, value) = seen { (name == "F2CB/Pos").then_some(*value as i64) } else { None }).await;
    assert_eq!(born, 2);
}
