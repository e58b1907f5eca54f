//! Tests which gateways are live after this process lost its connection to the broker.

use super::values::shown;
use super::*;

/// The published link states: whether the gateway is online, and whether the state has changed.
fn reported(out: &Out) -> Vec<(bool, bool)> {
    let state = |message: &BusMessage| match message {
        BusMessage::Gateway { online, changed, .. } => Some((*online, *changed)),
        _ => None,
    };
    out.live.iter().filter_map(state).collect()
}

fn order_of(out: &Out) -> LinkOrder {
    out.parcels.iter().flat_map(|parcel| &parcel.rows.gateways).next().expect("a mark").order
}

#[test]
fn gateway_is_confirmed_behind_the_values_of_its_last_birth() {
    let mut host = host();
    host.connected(at(0));
    let first = host.since().expect("connected");
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 100);
    let out = take(&mut host, DBIRTH, 1, vec![switch(2, 50)], 101);
    assert_eq!((reported(&out), shown(&out)), (vec![(true, false)], vec![(SWITCH.0, Some(2.0), 0)]));
    assert!(
        matches!(out.live[..], [BusMessage::Changes { .. }, BusMessage::Gateway { .. }]),
        "the new position comes first: {:?}",
        out.live
    );
    assert!(order_of(&out) > first);

    host.disconnected();
    assert_eq!(host.since(), None);
    host.connected(at(5_000));
    let second = host.since().expect("connected again");
    assert!(second > order_of(&out), "what was reported before is unconfirmed");
    assert_eq!(reported(&take(&mut host, DDATA, 2, vec![current(5.0, 5_100)], 5_100)), [], "the switch may have moved meanwhile");
    assert_eq!(reported(&take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 5_200)), []);
    let out = take(&mut host, DBIRTH, 1, vec![switch(1, 5_000)], 5_201);
    assert_eq!((reported(&out), shown(&out)), (vec![(true, false)], vec![(SWITCH.0, Some(1.0), 0)]));
    assert!(order_of(&out) > second);
}

#[test]
fn births_that_the_broker_had_kept_confirm_nothing() {
    let mut host = host();
    host.connected(at(0));
    host.expect_backlog();
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1);
    assert_eq!(reported(&take(&mut host, DBIRTH, 1, vec![switch(1, -60_000)], 1)), [], "the switch may have moved since");
    host.end_backlog();
    assert_eq!(rebirths(&mut host, 1_000), 1);
    assert_eq!(reported(&take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1_100)), []);
    assert_eq!(reported(&take(&mut host, DBIRTH, 1, vec![switch(2, -30_000)], 1_101)), [(true, false)]);

    host.connected(at(5_000));
    host.expect_backlog();
    for millis in [6_000, 20_000, 64_900] {
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], millis);
        assert_eq!(reported(&take(&mut host, DBIRTH, 1, vec![], millis)), [], "{millis}");
    }
    rebirths(&mut host, 65_000);
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 65_100);
    assert_eq!(
        reported(&take(&mut host, DBIRTH, 1, vec![], 65_101)),
        [(true, false)],
        "a sign that does not come is not waited for for ever"
    );
}

#[test]
fn dead_gateway_is_not_confirmed_by_what_the_broker_had_kept() {
    let mut host = host();
    host.connected(at(0));
    host.expect_backlog();
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1);
    take(&mut host, "spBv1.0/APDL/NBIRTH/UNKNOWN", 0, vec![number(BD_SEQ, 0)], 1);
    host.end_backlog();
    let mut states = Vec::new();
    for millis in (1_000..30_000).step_by(100) {
        let mut out = Out::default();
        host.tick(at(millis), &mut out);
        states.extend(reported(&out));
    }
    assert_eq!(states, [(false, true)], "it does not answer");
}

#[test]
fn what_the_broker_had_kept_is_published_when_all_of_it_has_come() {
    let mut host = host();
    host.connected(at(0));
    host.expect_backlog();
    let changes = |out: &Out| -> Vec<(i64, Option<f64>)> {
        let of = |message: &BusMessage| match message {
            BusMessage::Changes { changes, .. } => changes.iter().map(|change| (change.point, change.value)).collect(),
            _ => Vec::new(),
        };
        out.live.iter().flat_map(of).collect()
    };
    assert_eq!(changes(&take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1)), []);
    assert_eq!(changes(&take(&mut host, DBIRTH, 1, vec![switch(1, 1)], 1)), [], "a former leader may have published what comes behind it");
    assert_eq!(changes(&take(&mut host, DDATA, 2, vec![switch(2, 5)], 2)), []);
    host.end_backlog();
    let mut out = Out::default();
    host.tick(at(3), &mut out);
    assert_eq!(changes(&out), [(SWITCH.0, Some(2.0))]);
    let mut out = Out::default();
    host.tick(at(4), &mut out);
    assert_eq!(changes(&out), [], "once");
}

#[test]
fn birth_that_waited_for_a_discovery_belongs_to_its_connection() {
    let mut host = host();
    host.connected(at(0));
    let humidity = || Metric::new("F3/Hum", MetricValue::Double(40.0)).at(START as u64);
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1);
    let index = take(&mut host, DBIRTH, 1, vec![humidity()], 1).discoveries[0].0;
    host.connected(at(500));
    let mut out = Out::default();
    host.discovered(index, Ok((GATEWAY, vec![point(PointId(12), "F3/Hum", point::PointKind::Measurand)])), &mut out);
    assert_eq!(reported(&out), [], "the switch may have moved between the two connections");
}

#[test]
fn gateway_whose_device_is_not_born_is_confirmed_when_the_device_is_gone() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 100);
    let ticked = |host: &mut Host, millis| {
        let mut out = Out::default();
        host.tick(at(millis), &mut out);
        out
    };
    assert_eq!(reported(&ticked(&mut host, 10_099)), []);
    let out = ticked(&mut host, 10_100);
    assert!(matches!(out.live[..], [BusMessage::Device { online: false, .. }, BusMessage::Gateway { online: true, .. }]), "{:?}", out.live);
}

#[test]
fn birth_of_another_connection_reports_the_end_of_the_one_before() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 100);
    take(&mut host, DBIRTH, 1, vec![], 101);
    assert_eq!(reported(&take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 1)], 200)), [(false, true)]);
    assert_eq!(reported(&take(&mut host, DBIRTH, 1, vec![switch(2, 150)], 201)), [(true, true)]);
}

#[test]
fn client_that_is_never_born_is_confirmed_by_data_after_unanswered_requests() {
    let mut host = host();
    host.connected(at(0));
    let mut first = None;
    for millis in (0..20_000).step_by(100) {
        let mut out = take(&mut host, DDATA, 1 + (millis as u64 / 100) % 200, vec![current(5.0, millis)], millis);
        host.tick(at(millis), &mut out);
        first = first.or((!reported(&out).is_empty()).then_some(millis));
    }
    assert_eq!(first, Some(7_000), "asked after 1 s and after 4 s, without an answer for 3 s");
}

#[test]
fn client_whose_data_no_birth_has_declared_is_not_confirmed_by_them() {
    let mut host = host();
    host.connected(at(0));
    let undeclared = |millis| Metric { alias: Some(7), name: None, ..current(5.0, millis) };
    for millis in (0..60_000).step_by(100) {
        let mut out = take(&mut host, DDATA, 1 + (millis as u64 / 100) % 200, vec![undeclared(millis)], millis);
        host.tick(at(millis), &mut out);
        assert!(!reported(&out).iter().any(|(online, _)| *online), "its switch may have moved: {millis}");
    }
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 60_100);
    assert_eq!(reported(&take(&mut host, DBIRTH, 1, vec![switch(2, 60_100)], 60_101)), [(true, false)]);
}

#[test]
fn rebirths_are_requested_of_gateways_with_switches_first_and_of_more_as_they_answer() {
    const GATEWAYS: i64 = 1_200;
    let mut host = host();
    // Every fourth gateway has a switch.
    let of = |id: i64| {
        let kind = if id % 4 == 0 { point::PointKind::Status(Encoding::DoublePoint) } else { point::PointKind::Measurand };
        Point { gateway: GatewayId(id), device: String::new(), ..point(PointId(id), "Pos", kind) }
    };
    let gateways = (1_000..1_000 + GATEWAYS).map(|id| gateway_record(GatewayId(id), &format!("G{id}"))).collect();
    let points = (1_000..1_000 + GATEWAYS).map(of).collect();
    load(&mut host, &Registry { clients: vec![client_record()], gateways, points, ..Registry::default() }, &HashMap::new());
    host.connected(at(0));
    let request = |host: &mut Host, millis| {
        let mut out = Out::default();
        host.tick(at(millis), &mut out);
        let name = |(topic, _): (String, Vec<u8>)| topic.rsplit('/').next().expect("a name").to_owned();
        out.commands.into_iter().map(name).collect::<Vec<_>>()
    };
    let first = request(&mut host, 1_000);
    assert_eq!(first.len(), 500);
    let has_switch = |name: &String| name.strip_prefix('G').is_none_or(|id| id.parse::<i64>().is_ok_and(|id| id % 4 == 0));
    assert!(first[..301].iter().all(has_switch) && !first[301..].iter().any(has_switch), "the host's own gateway has a switch too");
    assert_eq!(request(&mut host, 1_100), [""; 0], "these are awaited");
    for name in &first[..120] {
        take(&mut host, &format!("spBv1.0/APDL/NBIRTH/{name}"), 0, vec![number(BD_SEQ, 0)], 1_200);
    }
    assert_eq!(request(&mut host, 1_300).len(), 120);
}
