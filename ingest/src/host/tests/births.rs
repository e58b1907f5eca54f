//! Tests the declarations of births, and what is stored and shown if a birth is missing or its declarations change.

use super::values::{shown, stored};
use super::*;

const VOLTAGE: PointId = PointId(12);

/// A host whose gateway has a second measurand, the voltage.
fn host_with_voltage() -> Host {
    let mut host = host();
    let points = vec![point(VOLTAGE, "F3/Ua", point::PointKind::Measurand)];
    let (clients, gateways) = (vec![client_record()], vec![gateway_record(GATEWAY, "RTU")]);
    load(&mut host, &Registry { clients, gateways, points, ..Registry::default() }, &HashMap::new());
    host
}

/// The metrics of a device birth that assigns aliases.
fn aliases(names: [(&str, u64); 2]) -> Vec<Metric> {
    names.map(|(name, alias)| Metric { alias: Some(alias), ..Metric::new(name, MetricValue::Double(0.0)).at(START as u64) }).into()
}

fn aliased(alias: u64, value: f64, millis: i64) -> Metric {
    Metric { alias: Some(alias), name: None, ..Metric::new("", MetricValue::Double(value)).at((START + millis) as u64) }
}

fn places(out: &Out) -> Vec<OutboxPosition> {
    out.parcels.iter().filter_map(|parcel| parcel.place).collect()
}

#[test]
fn alias_from_before_an_interruption_is_not_applied() {
    for outbox in [true, false] {
        let mut host = host_with_voltage();
        host.connected(at(0));
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0), Metric::new(OUTBOX, MetricValue::Boolean(outbox))], 0);
        take(&mut host, DBIRTH, 1, aliases([("F3/Ir", 7), ("F3/Ua", 8)]), 0);
        let data = |seq: u64, millis: i64| {
            let metrics = vec![aliased(7, 230.0, millis)];
            if outbox { boxed(seq, seq - 1, false, metrics) } else { metrics }
        };
        assert_eq!(stored(&take(&mut host, DDATA, 2, data(1, 10), 10)), [(CURRENT, Some(230.0))]);

        // The node was born again during the interruption, and its births are lost: alias 7 is the voltage now.
        host.connected(at(1_000));
        let out = take(&mut host, DDATA, 2, data(2, 1_100), 1_100);
        assert!(stored(&out).is_empty() && shown(&out).is_empty() && places(&out).is_empty(), "{out:?}");
        assert_eq!(dead(&out), if outbox { vec![] } else { vec!["unknown_alias"] });
        let out = take(&mut host, DDATA, 3, data(3, 1_200), 1_200);
        assert!(stored(&out).is_empty() && dead(&out).is_empty(), "of QoS 0 one is kept for people: {out:?}");
        assert_eq!(rebirths(&mut host, 4_000), 1, "as soon as rebirths are requested at all");

        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 1), Metric::new(OUTBOX, MetricValue::Boolean(outbox))], 4_100);
        take(&mut host, DBIRTH, 1, aliases([("F3/Ua", 7), ("F3/Ir", 8)]), 4_100);
        let out = take(&mut host, DDATA, 2, data(2, 1_100), 4_200);
        assert_eq!(stored(&out), [(VOLTAGE, Some(230.0))]);
        assert_eq!(places(&out).len(), usize::from(outbox), "now it can be acknowledged");
    }
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

#[test]
fn number_without_its_declared_type_is_not_stored() {
    // The encoder of this repository always writes the type. These bytes are name, timestamp and `int_value` of one
    // metric.
    let untyped = |bits: u32, millis: i64| {
        let name = b"F3/Ir";
        let mut metric = vec![0x0a, name.len() as u8];
        metric.extend(name);
        metric.push(0x18);
        metric.extend(varint((START + millis) as u64));
        metric.push(0x50);
        metric.extend(varint(bits.into()));
        let mut payload = vec![0x12, metric.len() as u8];
        payload.extend(metric);
        payload
    };
    let mut host = host();
    let send = |host: &mut Host, bits: u32, millis: i64| {
        let mut out = Out::default();
        host.take(
            Message { topic: DDATA.into(), payload: untyped(bits, millis).into(), retain: false, ack: None, now: at(millis) },
            &mut out,
        );
        out
    };
    let minus_three = -3_i32 as u32;
    assert!(stored(&send(&mut host, minus_three, 1)).is_empty(), "4,294,967,293 or -3");
    assert_eq!(stored(&send(&mut host, 5, 2)), [(CURRENT, Some(5.0))]);
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 3);
    take(&mut host, DBIRTH, 1, vec![Metric::new("F3/Ir", MetricValue::Int32(0)).at(START as u64)], 3);
    assert_eq!(stored(&send(&mut host, minus_three, 4)), [(CURRENT, Some(-3.0))]);
}

#[test]
fn death_with_a_foreign_number_leaves_a_quiet_gateway_online() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 3)], 100);
    let is_reported = |out: &Out| out.live.iter().any(|message| matches!(message, BusMessage::Gateway { .. }));
    for (death, millis) in [(2, 10_000), (4, 20_000)] {
        let out = take(&mut host, "spBv1.0/APDL/NDEATH/RTU", 0, vec![number(BD_SEQ, death)], millis);
        assert!(!is_reported(&out), "{out:?}");
        assert_eq!(rebirths(&mut host, millis + 100), 1, "its rebirth is requested");
        take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 3)], millis + 200);
        let mut out = Out::default();
        host.tick(at(millis + 9_900), &mut out);
        assert!(!is_reported(&out), "{out:?}");
    }
    take(&mut host, "spBv1.0/APDL/NDEATH/RTU", 0, vec![number(BD_SEQ, 2)], 30_000);
    let mut out = Out::default();
    for millis in (30_000..40_000).step_by(100) {
        host.tick(at(millis), &mut out);
    }
    assert!(out.live.iter().any(|message| matches!(message, BusMessage::Gateway { online: false, .. })), "without an answer it is true");
}

#[test]
fn device_birth_before_node_birth_sets_nothing_online() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, "spBv1.0/APDL/NDEATH/RTU", 0, vec![], 0);
    let out = take(&mut host, DBIRTH, 1, vec![current(1.0, 1)], 1);
    assert!(!out.live.iter().any(|message| matches!(message, BusMessage::Gateway { .. })), "{out:?}");
    assert_eq!(rebirths(&mut host, 3_000), 1);
}
