//! Tests the host without broker or database: takes messages and checks the output.

use std::time::Duration;

use field::sparkplug::{BD_SEQ, OUTBOX, OUTBOX_ACKED, OUTBOX_EPOCH, OUTBOX_SEQ};
use grid::measure::Quantity;
use grid::point;
use grid::position::Encoding;
use grid::{AssetId, GatewayId, NodeId, Quality};
use store::Registry;
use store::registry::{ClientRecord, GatewayRecord};

use super::*;

mod answers;
mod births;
mod confirmation;
mod contradictions;
mod following;
mod values;

const CLIENT: ClientId = ClientId(1);
const GATEWAY: GatewayId = GatewayId(5);
const CURRENT: PointId = PointId(10);
const SWITCH: PointId = PointId(11);
const TERM: grid::Term = grid::Term(3);
const START: i64 = 1_800_000_000_000;

fn at(millis: i64) -> Moment {
    Moment { wall: Micros::from_millis(START + millis), steady: Micros::from_millis(millis) }
}

fn point(id: PointId, metric: &str, kind: point::PointKind) -> Point {
    Point {
        id,
        client: CLIENT,
        gateway: GATEWAY,
        device: "F3".into(),
        metric: metric.into(),
        code: metric.rsplit('/').next().unwrap_or_default().into(),
        asset: AssetId(3),
        asset_name: "F3".into(),
        asset_type: 1,
        location: NodeId(4),
        kind,
        quantity: Quantity::Other,
        unit: String::new(),
        decimals: 0,
        scale: 1.0,
        expected_ms: None,
    }
}

fn client_record() -> ClientRecord {
    ClientRecord { id: CLIENT, code: "APDL".into(), name: String::new(), time_zone: "UTC".into(), config: serde_json::Value::Null }
}

/// A gateway that was last known to be online.
fn gateway_record(id: GatewayId, code: &str) -> GatewayRecord {
    GatewayRecord {
        id,
        client: CLIENT,
        code: code.into(),
        name: String::new(),
        location: NodeId(4),
        online: true,
        since: Some(Micros(1)),
        order: LinkOrder::default(),
        last_seen: None,
        discovered: false,
    }
}

/// One gateway with one measurand and one switch.
fn registry(encoding: Encoding) -> Registry {
    let points = vec![point(CURRENT, "F3/Ir", point::PointKind::Measurand), point(SWITCH, "F3CB/Pos", point::PointKind::Status(encoding))];
    Registry { clients: vec![client_record()], gateways: vec![gateway_record(GATEWAY, "RTU")], points, ..Registry::default() }
}

/// A host of that gateway. Its switch was last known open.
fn host() -> Host {
    host_with(Encoding::DoublePoint)
}

/// The same host, with another encoding of the switch.
fn host_with(encoding: Encoding) -> Host {
    let mut host = Host::new(IngestConfig::default(), at(0).wall, TERM);
    let open = Reading {
        value: Some(1.0),
        quality: Quality::Good,
        source: at(-1_000).wall,
        received: at(-1_000).wall,
        ordinal: grid::Ordinal::default(),
    };
    load(&mut host, &registry(encoding), &HashMap::from([(SWITCH, open)]));
    host
}

fn load(host: &mut Host, registry: &Registry, latest: &HashMap<PointId, Reading>) {
    host.load(Arc::new(Image::from(registry.clone())), &registry.links(), latest);
}

fn number(name: &str, value: u64) -> Metric {
    Metric::new(name, MetricValue::UInt64(value))
}

fn switch(position: i32, millis: i64) -> Metric {
    Metric::new("F3CB/Pos", MetricValue::Int32(position)).at((START + millis) as u64)
}

fn current(ampere: f64, millis: i64) -> Metric {
    Metric::new("F3/Ir", MetricValue::Double(ampere)).at((START + millis) as u64)
}

/// Data metrics of a node with an outbox: the outbox metrics and then `metrics`.
fn boxed(seq: u64, acked: u64, historical: bool, metrics: Vec<Metric>) -> Vec<Metric> {
    let mut all = vec![number(OUTBOX_EPOCH, 77), number(OUTBOX_SEQ, seq), number(OUTBOX_ACKED, acked)];
    all.extend(metrics.into_iter().map(|metric| Metric { historical, ..metric }));
    all
}

fn message(topic: &str, seq: u64, metrics: Vec<Metric>, millis: i64) -> Message {
    let payload = Payload { timestamp: Some((START + millis) as u64), seq: Some(seq), metrics }.encode();
    Message { topic: topic.into(), payload: payload.into(), retain: false, ack: None, now: at(millis) }
}

/// Takes a message of a sender whose clock is `ahead` ms ahead.
fn take_ahead(host: &mut Host, topic: &str, seq: u64, metrics: Vec<Metric>, millis: i64, ahead: i64) -> Out {
    let mut out = Out::default();
    host.take(Message { now: at(millis), ..message(topic, seq, metrics, millis + ahead) }, &mut out);
    out
}

fn take(host: &mut Host, topic: &str, seq: u64, metrics: Vec<Metric>, millis: i64) -> Out {
    let mut out = Out::default();
    host.take(message(topic, seq, metrics, millis), &mut out);
    out
}

const NBIRTH: &str = "spBv1.0/APDL/NBIRTH/RTU";
const DBIRTH: &str = "spBv1.0/APDL/DBIRTH/RTU/F3";
const DDATA: &str = "spBv1.0/APDL/DDATA/RTU/F3";

fn born_with_outbox(host: &mut Host) {
    take(host, NBIRTH, 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(true))], 0);
    take(host, DBIRTH, 1, vec![], 0);
}

fn event_values(out: &Out) -> Vec<f64> {
    out.parcels.iter().flat_map(|parcel| &parcel.rows.events).filter_map(|event| event.reading.value).collect()
}

fn dead(out: &Out) -> Vec<&str> {
    out.parcels.iter().flat_map(|parcel| &parcel.rows.dead).map(|dead| dead.reason.as_str()).collect()
}

#[test]
fn data_becomes_samples_changes_and_a_place_to_acknowledge() {
    let mut host = host();
    born_with_outbox(&mut host);
    let out = take(&mut host, DDATA, 1, boxed(4, 3, false, vec![current(12.5, 5), switch(2, 6)]), 10);
    let [parcel] = &out.parcels[..] else { panic!("{out:?}") };
    assert_eq!(parcel.place, Some(OutboxPosition { epoch: 77, seq: 4 }));
    let samples: Vec<(PointId, Option<f64>, Micros)> =
        parcel.rows.samples.iter().map(|sample| (sample.point, sample.reading.value, sample.reading.source)).collect();
    assert_eq!(samples, [(CURRENT, Some(12.5), at(5).wall), (SWITCH, Some(2.0), at(6).wall)]);
    let [event] = &parcel.rows.events[..] else { panic!("{parcel:?}") };
    assert_eq!((event.point, event.reading.ordinal, event.index), (SWITCH, grid::Ordinal { epoch: 77, seq: 4 }, 4));
    assert!(matches!(&out.live[..], [BusMessage::Changes { changes, .. }] if changes.len() == 2));

    assert!(host.take_acknowledgements(at(20)).is_empty());
    host.durable(NodeIndex(0), OutboxPosition { epoch: 77, seq: 4 }, at(20));
    let due = host.take_acknowledgements(at(20));
    let [(_, _, topic, payload)] = &due[..] else { panic!("{due:?}") };
    assert_eq!(topic, "spBv1.0/APDL/NCMD/RTU");
    let payload = Payload::decode(payload).expect("our own");
    assert_eq!(payload.metric(ACK_SEQ).and_then(|metric| metric.value.as_u64()), Some(4));
    assert_eq!(payload.metric(ACK_EPOCH).and_then(|metric| metric.value.as_u64()), Some(77));
}

#[test]
fn acknowledgements_to_one_node_are_spread_in_time() {
    let mut host = host();
    for seq in 1..=3 {
        take(&mut host, DDATA, seq, boxed(seq, 0, false, vec![current(1.0, seq as i64)]), 0);
    }
    let durable = |host: &mut Host, seq, millis| host.durable(NodeIndex(0), OutboxPosition { epoch: 77, seq }, at(millis));
    durable(&mut host, 1, 0);
    assert_eq!(host.take_acknowledgements(at(0)).len(), 1);
    durable(&mut host, 2, 1);
    assert_eq!(host.take_acknowledgements(at(1)).len(), 0);
    durable(&mut host, 3, 2);
    let due = host.take_acknowledgements(at(250));
    assert_eq!(due.iter().map(|(_, place, ..)| place.seq).collect::<Vec<_>>(), [3]);
    host.not_sent(due[0].0, due[0].1);
    assert_eq!(host.take_acknowledgements(at(500)).len(), 1);
}

#[test]
fn historical_data_goes_to_the_history_alone() {
    let mut host = host();
    born_with_outbox(&mut host);
    let out = take(&mut host, DDATA, 1, boxed(1, 0, true, vec![current(9.0, -500), switch(2, -500)]), 10);
    assert!(out.parcels[0].rows.samples.iter().all(|sample| sample.historical));
    assert_eq!(event_values(&out), [2.0], "every change in an outbox is an event");
    assert!(out.live.is_empty());
}

#[test]
fn latest_does_not_go_back() {
    let mut host = host();
    let live = |out: &Out| out.live.iter().filter(|message| matches!(message, BusMessage::Changes { .. })).count();
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
    assert_eq!(live(&take(&mut host, DDATA, 2, vec![current(1.0, 100)], 100)), 1);
    let overtaken = take(&mut host, DDATA, 1, vec![current(2.0, 50)], 110);
    assert_eq!(live(&overtaken), 0);
    assert!(overtaken.parcels[0].rows.samples.iter().all(|sample| sample.historical), "for the history alone");
    assert_eq!(live(&take(&mut host, DDATA, 4, vec![current(3.0, 101)], 120)), 1);
}

#[test]
fn what_a_birth_tells_is_an_event_unless_the_outbox_explains_it() {
    // The outbox has the same change as the birth.
    let mut explained = host();
    born_with_outbox(&mut explained);
    let mut out = take(&mut explained, DBIRTH, 1, vec![switch(2, -100)], 0);
    assert_eq!(event_values(&out), [] as [f64; 0]);
    out = take(&mut explained, DDATA, 2, boxed(1, 0, true, vec![switch(2, -100)]), 1);
    assert_eq!(event_values(&out), [2.0]);
    out = take(&mut explained, DDATA, 3, boxed(2, 0, false, vec![current(1.0, 2)]), 2);
    assert_eq!(event_values(&out), [] as [f64; 0]);

    // A live message between resent messages does not end the resend.
    let mut overtaken = host();
    born_with_outbox(&mut overtaken);
    take(&mut overtaken, DBIRTH, 1, vec![switch(2, -100)], 0);
    out = take(&mut overtaken, DDATA, 2, boxed(2, 0, false, vec![current(1.0, 2)]), 2);
    assert_eq!(event_values(&out), [] as [f64; 0]);
    out = take(&mut overtaken, DDATA, 3, boxed(1, 0, true, vec![switch(2, -100)]), 3);
    assert_eq!(event_values(&out), [2.0]);
    out = take(&mut overtaken, DDATA, 4, boxed(3, 0, false, vec![current(1.0, 4)]), 4);
    assert_eq!(event_values(&out), [] as [f64; 0]);

    // The change happened while the RTU was off: only the birth reports it.
    let mut unconfirmed = host();
    born_with_outbox(&mut unconfirmed);
    take(&mut unconfirmed, DBIRTH, 1, vec![switch(2, -100)], 0);
    out = take(&mut unconfirmed, DDATA, 2, boxed(1, 0, false, vec![current(1.0, 2)]), 2);
    assert_eq!(event_values(&out), [2.0]);

    // No later message arrives: the state becomes an event after ten minutes.
    let mut silent = host();
    born_with_outbox(&mut silent);
    take(&mut silent, DBIRTH, 1, vec![switch(2, -100)], 0);
    out = Out::default();
    silent.tick(at(599_999), &mut out);
    assert_eq!(event_values(&out), [] as [f64; 0]);
    silent.tick(at(600_000), &mut out);
    assert_eq!(event_values(&out), [2.0]);
    // The outbox reports the change after all. The database stores both rows as one event. The next change is another
    // event.
    let late = take(&mut silent, DDATA, 2, boxed(1, 0, true, vec![switch(2, -100)]), 601_000);
    assert_eq!(event_values(&late), [2.0]);
    assert_eq!(event_values(&take(&mut silent, DDATA, 3, boxed(2, 0, true, vec![switch(2, -50)]), 602_000)), [2.0]);
}

#[test]
fn birth_and_outbox_message_make_one_event() {
    let mut host = host();
    born_with_outbox(&mut host);
    let birth = take(&mut host, DBIRTH, 1, vec![switch(2, 50)], 51);
    assert!(event_values(&birth).is_empty());
    let out = take(&mut host, DDATA, 2, boxed(4, 3, false, vec![switch(2, 50)]), 52);
    let events: Vec<(Option<f64>, i64)> =
        out.parcels.iter().flat_map(|parcel| &parcel.rows.events).map(|event| (event.reading.value, event.reading.ordinal.seq)).collect();
    assert_eq!(events, [(Some(2.0), 4)], "with the number under which it comes again, should it");
}

#[test]
fn change_known_from_birth_only_is_stored_as_event() {
    let mut host = host();
    born_with_outbox(&mut host);
    take(&mut host, DBIRTH, 1, vec![switch(2, 50)], 51);
    let out = take(&mut host, DDATA, 2, boxed(4, 3, false, vec![switch(1, 60)]), 61);
    assert_eq!(event_values(&out), [2.0, 1.0], "closed while nobody heard it, then opened");
}

#[test]
fn a_plain_client_makes_events_by_changes() {
    let mut host = host();
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
    for (seq, topic, position, millis, expected) in [
        (1, DBIRTH, 1, 10, &[][..]),
        (2, DDATA, 2, 20, &[2.0]),
        (4, DDATA, 2, 30, &[]),
        // Sent before the previous message and received after it.
        (3, DDATA, 1, 25, &[]),
        (5, DBIRTH, 1, 40, &[1.0]),
    ] {
        let out = take(&mut host, topic, seq, vec![switch(position, millis)], millis);
        assert_eq!(event_values(&out), expected, "{seq}");
        let numbered =
            out.parcels.iter().flat_map(|parcel| &parcel.rows.events).any(|event| event.reading.ordinal != grid::Ordinal::default());
        assert!(!numbered, "the same message, delivered again, has the same key");
    }
}

#[test]
fn births_do_not_store_again_what_is_known() {
    let mut host = host();
    assert_eq!(take(&mut host, DBIRTH, 1, vec![current(1.0, 5)], 10).parcels[0].rows.samples.len(), 1);
    assert_eq!(take(&mut host, DBIRTH, 2, vec![current(1.0, 5)], 20).parcels[0].rows.samples.len(), 0);
    assert_eq!(take(&mut host, DDATA, 3, vec![current(1.0, 5)], 30).parcels[0].rows.samples.len(), 1, "data is never skipped");
}

#[test]
fn poison_is_named_and_the_rest_of_its_message_is_good() {
    let mut host = host();
    let mixed = vec![current(f64::NAN, 1), switch(2, 1)];
    let out = take(&mut host, DDATA, 1, mixed, 1);
    assert_eq!((dead(&out), out.parcels[0].rows.samples.len()), (vec!["not_finite"], 2), "no value is one too");
    let out = take(&mut host, DDATA, 2, vec![current(1.0, 400_000)], 1);
    assert_eq!((dead(&out), out.parcels[0].rows.samples.len()), (vec!["future"], 0));

    let large = vec![0_u8; IngestConfig::default().max_payload + 1];
    for (topic, payload, reason) in [
        ("spBv1.0/NOBODY/NDATA/RTU", Payload::default().encode(), "unknown_group"),
        ("spBv1.0/APDL/NDATA", Payload::default().encode(), "topic"),
        (DDATA, b"no protobuf".to_vec(), "malformed"),
        (DDATA, [0x12, 0].repeat(10_001), "too_many_metrics"),
        (DDATA, large, "oversize"),
    ] {
        let mut out = Out::default();
        host.take(Message { topic: topic.into(), payload: payload.into(), retain: false, ack: None, now: at(0) }, &mut out);
        assert_eq!(dead(&out), [reason], "{topic}");
    }
}

#[test]
fn what_is_retained_is_not_taken() {
    let mut host = host();
    let mut out = Out::default();
    host.take(Message { retain: true, ..message(DDATA, 1, vec![current(1.0, 1)], 1) }, &mut out);
    assert!(out.parcels.iter().all(Parcel::is_empty));
    assert!(out.live.is_empty());
}

#[test]
fn messages_wait_in_order_while_their_node_is_discovered() {
    let mut host = host();
    let new = |value: f64, millis| Metric::new("F3/Hum", MetricValue::Double(value)).at((START + millis) as u64);
    let out = take(&mut host, DDATA, 1, vec![new(1.0, 1), current(5.0, 1)], 1);
    assert!(out.parcels.is_empty());
    let [(index, discovery)] = &out.discoveries[..] else { panic!("{out:?}") };
    assert_eq!((discovery.gateway_code.as_str(), discovery.points.len(), discovery.points[0].metric.as_str()), ("RTU", 1, "F3/Hum"));
    let second = take(&mut host, DDATA, 2, vec![current(6.0, 2)], 2);
    assert!(second.parcels.is_empty() && second.discoveries.is_empty());
    assert!(host.parked_bytes() > 0);

    let mut out = Out::default();
    let entered = point(PointId(12), "F3/Hum", point::PointKind::Measurand);
    host.discovered(*index, Ok((GATEWAY, vec![entered])), &mut out);
    let values: Vec<Option<f64>> = out.parcels.iter().flat_map(|parcel| &parcel.rows.samples).map(|sample| sample.reading.value).collect();
    assert_eq!(values, [Some(1.0), Some(5.0), Some(6.0)]);
    assert_eq!(host.parked_bytes(), 0);
    assert!(matches!(out.live[0], BusMessage::Registry { client: 1 }));
}

#[test]
fn a_refused_discovery_is_not_asked_for_again() {
    let mut host = host();
    let new = || vec![Metric::new("F3/Hum", MetricValue::Double(1.0)), current(5.0, 1)];
    let index = take(&mut host, DDATA, 1, new(), 1).discoveries[0].0;
    let mut out = Out::default();
    host.discovered(index, Err("no".into()), &mut out);
    assert_eq!((dead(&out), out.parcels[0].rows.samples.len()), (vec!["refused"], 1));
    assert!(take(&mut host, DDATA, 2, new(), 2).discoveries.is_empty());
}

#[test]
fn a_node_that_nobody_knows_is_discovered_by_its_first_values() {
    let mut host = host();
    let death = take(&mut host, "spBv1.0/APDL/NDEATH/NEW", 0, vec![number(BD_SEQ, 0)], 0);
    assert!(death.discoveries.is_empty() && death.parcels.iter().all(Parcel::is_empty));
    let birth =
        take(&mut host, "spBv1.0/APDL/NBIRTH/NEW", 0, vec![number(BD_SEQ, 0), Metric::new("Model", MetricValue::Text("X".into()))], 0);
    let [(index, discovery)] = &birth.discoveries[..] else { panic!("{birth:?}") };
    assert!(discovery.points.is_empty());
    let mut out = Out::default();
    host.discovered(*index, Ok((GatewayId(6), vec![])), &mut out);
    assert_eq!(
        out.parcels[0].rows.gateways.iter().map(|mark| (mark.gateway, mark.online)).collect::<Vec<_>>(),
        [(GatewayId(6), Some(true))]
    );
    assert!(dead(&out).is_empty(), "texts are no poison");
}

#[test]
fn an_alias_nobody_declared_stays_in_the_outbox() {
    let mut host = host();
    born_with_outbox(&mut host);
    let unknown = Metric { alias: Some(9), value: MetricValue::Double(1.0), ..Metric::default() };
    let out = take(&mut host, DDATA, 1, boxed(1, 0, false, vec![unknown, current(5.0, 1)]), 1);
    assert_eq!((out.parcels[0].place, out.parcels[0].rows.samples.len()), (None, 1));
    assert!(dead(&out).is_empty());
}

fn rebirths(host: &mut Host, millis: i64) -> usize {
    let mut out = Out::default();
    host.tick(at(millis), &mut out);
    out.commands.len()
}

#[test]
fn a_node_is_asked_for_its_birth_twice_and_then_taken_for_gone() {
    let mut host = host();
    assert_eq!(rebirths(&mut host, 0), 0, "not connected");
    host.connected(at(0));
    for (millis, expected) in [(999, 0), (1_000, 1), (2_000, 0), (4_000, 1), (7_000, 0), (19_999, 0)] {
        assert_eq!(rebirths(&mut host, millis), expected, "{millis}");
    }
    let mut out = Out::default();
    host.tick(at(20_000), &mut out);
    assert!(matches!(out.live[..], [BusMessage::Gateway { gateway: 5, online: false, .. }]), "{out:?}");
    assert_eq!(out.parcels[0].rows.gateways[0].online, Some(false));

    host.connected(at(30_000));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 30_100);
    assert_eq!(rebirths(&mut host, 60_000), 0, "it was born by itself");
}

#[test]
fn a_hole_in_the_outbox_that_does_not_close_asks_for_a_rebirth() {
    let mut host = host();
    host.connected(at(0));
    born_with_outbox(&mut host);
    for (message, seq) in [(1, 1), (2, 3)] {
        take(&mut host, DDATA, message, boxed(seq, 0, false, vec![current(1.0, seq as i64)]), 10);
        host.durable(NodeIndex(0), OutboxPosition { epoch: 77, seq }, at(10));
    }
    assert_eq!(rebirths(&mut host, 5_009), 0);
    assert_eq!(rebirths(&mut host, 5_010), 1);
    assert_eq!(rebirths(&mut host, 6_000), 0, "the cool-down");
    assert_eq!(host.config.rebirth_cooldown, Duration::from_mins(1));
    assert_eq!(rebirths(&mut host, 65_010), 1);
}

fn devices(out: &Out) -> Vec<(&str, bool)> {
    let stored: Vec<_> =
        out.parcels.iter().flat_map(|parcel| &parcel.rows.devices).map(|mark| (mark.device.as_str(), mark.online)).collect();
    let shown = out.live.iter().filter_map(|message| match message {
        BusMessage::Device { device, online, .. } => Some((device.as_str(), *online)),
        _ => None,
    });
    assert_eq!(stored, shown.collect::<Vec<_>>(), "stored and shown alike");
    stored
}

#[test]
fn dead_device_is_stored_and_published_offline_until_rebirth() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
    assert_eq!(devices(&take(&mut host, DBIRTH, 1, vec![current(1.0, 1)], 1)), []);
    assert_eq!(devices(&take(&mut host, "spBv1.0/APDL/DDEATH/RTU/F3", 2, vec![], 2)), [("F3", false)]);
    assert_eq!(devices(&take(&mut host, DBIRTH, 3, vec![current(1.0, 1)], 3)), [("F3", true)]);
    // The node is born again, this time without its device.
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 1)], 100);
    let mut out = Out::default();
    host.tick(at(10_099), &mut out);
    assert_eq!(devices(&out), []);
    host.tick(at(10_100), &mut out);
    assert_eq!(devices(&out), [("F3", false)]);
}

#[test]
fn death_of_a_device_without_points_is_not_noted() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
    take(&mut host, DBIRTH, 1, vec![current(1.0, 1)], 1);
    for seq in 2..200 {
        let out = take(&mut host, &format!("spBv1.0/APDL/DDEATH/RTU/D{seq}"), seq, vec![], 2);
        assert_eq!(devices(&out), [], "a node may name any number of devices");
    }
    assert_eq!(devices(&take(&mut host, "spBv1.0/APDL/DDEATH/RTU/F3", 200, vec![], 3)), [("F3", false)]);
}

#[test]
fn what_is_known_does_not_wait_long_for_what_cannot_be_entered() {
    let humidity = |millis: i64| Metric::new("F3/Hum", MetricValue::Double(40.0)).at((START + millis) as u64);
    let mut host = host();
    host.connected(at(0));
    born_with_outbox(&mut host);
    let index = take(&mut host, DDATA, 1, boxed(1, 0, false, vec![current(1.0, 1), humidity(1)]), 1).discoveries[0].0;
    assert!(take(&mut host, DDATA, 2, boxed(2, 0, false, vec![current(2.0, 1_500)]), 1_500).parcels.is_empty());
    let mut out = Out::default();
    host.tick(at(2_000), &mut out);
    assert!(out.parcels.is_empty() && host.parked_bytes() > 0, "it may still be entered in time");
    host.tick(at(2_001), &mut out);
    let fields: Vec<_> = out.parcels.iter().map(|parcel| (parcel.rows.samples.len(), parcel.place.map(|place| place.seq))).collect();
    assert_eq!(fields, [(1, None), (1, Some(2))], "the first is not acknowledged: it has to come again");
    assert_eq!((host.parked_bytes(), dead(&out).len()), (0, 0));
    let late = take(&mut host, DDATA, 3, boxed(3, 0, false, vec![current(3.0, 2_100)]), 2_100);
    assert_eq!(late.parcels.iter().filter_map(|parcel| parcel.place).count(), 1, "nothing waits any more");

    let mut out = Out::default();
    host.discovered(index, Ok((GATEWAY, vec![point(PointId(12), "F3/Hum", point::PointKind::Measurand)])), &mut out);
    let again = take(&mut host, DDATA, 4, boxed(1, 0, true, vec![current(1.0, 1), humidity(1)]), 3_000);
    let fields: Vec<_> = again.parcels.iter().map(|parcel| (parcel.rows.samples.len(), parcel.place.map(|place| place.seq))).collect();
    assert_eq!(fields, [(2, Some(1))]);

    // A node without an outbox does not send the value again, so it becomes a dead letter.
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 4_000);
    take(&mut host, DDATA, 1, vec![current(4.0, 4_001), Metric::new("F3/New", MetricValue::Double(1.0)).at((START + 4_001) as u64)], 4_001);
    let mut out = Out::default();
    host.tick(at(6_001), &mut out);
    assert_eq!(dead(&out), ["undiscovered"]);
}

#[test]
fn late_discovery_requests_the_unacknowledged_messages_again() {
    let humidity = |millis: i64| Metric::new("F3/Hum", MetricValue::Double(40.0)).at((START + millis) as u64);
    for answer in [Ok((GATEWAY, vec![point(PointId(12), "F3/Hum", point::PointKind::Measurand)])), Err("no such metric".to_owned())] {
        let mut host = host();
        host.connected(at(0));
        born_with_outbox(&mut host);
        let index = take(&mut host, DDATA, 1, boxed(1, 0, false, vec![current(1.0, 1), humidity(1)]), 1).discoveries[0].0;
        assert_eq!(rebirths(&mut host, 5_000), 0, "the message is set aside, and no later message shows a hole");
        host.discovered(index, answer, &mut Out::default());
        assert_eq!(rebirths(&mut host, 5_100), 1);
        let again = take(&mut host, DDATA, 2, boxed(1, 0, true, vec![current(1.0, 1), humidity(1)]), 5_200);
        assert_eq!(again.parcels.iter().filter_map(|parcel| parcel.place).count(), 1, "its place is acknowledged once it is durable");
    }
}

#[test]
fn late_discovery_of_a_gateway_requests_its_outbox_again() {
    let mut host = host();
    host.connected(at(0));
    born_with_outbox(&mut host);
    let index = take(&mut host, "spBv1.0/APDL/DDATA/NEW/F3", 1, boxed(1, 0, false, vec![current(1.0, 1)]), 1).discoveries[0].0;
    assert_eq!(rebirths(&mut host, 5_000), 1, "it sent data without a birth");
    take(&mut host, "spBv1.0/APDL/NBIRTH/NEW", 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(true))], 6_000);
    assert_eq!(rebirths(&mut host, 70_000), 0);
    host.discovered(index, Ok((GatewayId(6), vec![])), &mut Out::default());
    assert_eq!(rebirths(&mut host, 70_100), 1);
}

#[test]
fn late_discovery_requests_the_birth_of_a_node_without_outbox() {
    for known in [true, false] {
        let mut host = host();
        host.connected(at(0));
        if !known {
            take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 0);
        }
        let (birth, data) = if known { (NBIRTH, DDATA) } else { ("spBv1.0/APDL/NBIRTH/NEW", "spBv1.0/APDL/DDATA/NEW/F3") };
        let first = take(&mut host, birth, 0, vec![number(BD_SEQ, 0)], 0);
        take(&mut host, &data.replace("DDATA", "DBIRTH"), 1, vec![], 0);
        let humidity = Metric::new("F3/Hum", MetricValue::Double(40.0)).at((START + 1) as u64);
        let second = take(&mut host, data, 2, vec![humidity], 1);
        let index = first.discoveries.iter().chain(&second.discoveries).next().expect("a discovery").0;
        assert_eq!(rebirths(&mut host, 5_000), 0, "its values became dead letters");
        let answer = (GATEWAY, vec![point(PointId(12), "F3/Hum", point::PointKind::Measurand)]);
        host.discovered(index, Ok(answer), &mut Out::default());
        assert_eq!(rebirths(&mut host, 5_100), 1, "only a birth tells them again");
    }
}

#[test]
fn gateway_born_before_discovery_is_online_after_it() {
    let mut host = host();
    host.connected(at(0));
    let birth = "spBv1.0/APDL/NBIRTH/NEW";
    let outbox = || vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(true))];
    let index = take(&mut host, birth, 0, outbox(), 0).discoveries[0].0;
    let mut out = Out::default();
    host.tick(at(2_001), &mut out);
    assert!(out.parcels.iter().all(|parcel| parcel.rows.gateways.is_empty()) && host.parked_bytes() == 0, "there is nothing to note it on");
    let mut out = Out::default();
    host.discovered(index, Ok((GatewayId(6), vec![])), &mut out);
    let marks: Vec<_> = out.parcels.iter().flat_map(|parcel| &parcel.rows.gateways).map(|mark| (mark.gateway, mark.online)).collect();
    assert_eq!(marks, [(GatewayId(6), Some(true))]);
    assert!(out.live.iter().any(|message| matches!(message, BusMessage::Gateway { gateway: 6, online: true, .. })), "{:?}", out.live);
}
