//! Tests link states that a former leader stored in the database after this leader had started.

use store::registry::DeviceRecord;

use super::*;

fn states(out: &Out) -> Vec<(bool, LinkOrder)> {
    let marks = out.parcels.iter().flat_map(|parcel| &parcel.rows.gateways);
    marks.filter_map(|mark| Some((mark.online?, mark.order))).collect()
}

fn compare(host: &mut Host, registry: &Registry, millis: i64) -> Out {
    host.compare_links(&registry.links());
    let mut out = Out::default();
    host.tick(at(millis), &mut out);
    out
}

#[test]
fn state_of_an_earlier_term_that_contradicts_is_replaced() {
    let mut host = host();
    host.connected(at(0));
    let earlier = LinkOrder { term: grid::Term(TERM.0 - 1), count: 9 };
    let mut unconfirmed = registry(Encoding::DoublePoint);
    (unconfirmed.gateways[0].online, unconfirmed.gateways[0].order) = (false, earlier);
    assert_eq!(states(&compare(&mut host, &unconfirmed, 0)), [], "which of the two is true is not known yet");
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1);
    take(&mut host, DBIRTH, 1, vec![current(1.0, 1)], 1);
    let mut stored = registry(Encoding::DoublePoint);
    (stored.gateways[0].online, stored.gateways[0].order) = (false, earlier);
    let out = compare(&mut host, &stored, 10);
    let [(true, order)] = states(&out)[..] else { panic!("{out:?}") };
    assert!(order > earlier);
    assert!(matches!(out.live[..], [BusMessage::Gateway { online: true, .. }]), "{out:?}");
    (stored.gateways[0].online, stored.gateways[0].order) = (true, order);
    assert_eq!(states(&compare(&mut host, &stored, 20)), [], "once");
}

#[test]
fn own_state_that_is_not_stored_yet_is_no_contradiction() {
    let mut host = host();
    host.connected(at(0));
    let out = take(&mut host, "spBv1.0/APDL/NDEATH/RTU", 0, vec![number(BD_SEQ, 0)], 1);
    let [(false, order)] = states(&out)[..] else { panic!("{out:?}") };
    let mut stored = registry(Encoding::DoublePoint);
    stored.gateways[0].order = LinkOrder { count: order.count - 1, ..order };
    assert_eq!(states(&compare(&mut host, &stored, 10)), []);
}

#[test]
fn state_of_a_device_from_an_earlier_term_is_replaced() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1);
    take(&mut host, DBIRTH, 1, vec![current(1.0, 1)], 1);
    let mut stored = registry(Encoding::DoublePoint);
    let order = LinkOrder { term: grid::Term(TERM.0 - 1), count: 9 };
    stored.devices = vec![DeviceRecord { gateway: GATEWAY, code: "F3".into(), online: false, since: Micros(1), order }];
    assert_eq!(devices(&compare(&mut host, &stored, 10)), [("F3", true)]);
}

#[test]
fn device_state_that_is_reported_again_is_no_change() {
    let changes = |out: &Out| -> Vec<(bool, bool)> {
        let state = |message: &BusMessage| match message {
            BusMessage::Device { online, changed, .. } => Some((*online, *changed)),
            _ => None,
        };
        out.live.iter().filter_map(state).collect()
    };
    let mut host = host();
    host.connected(at(0));
    take(&mut host, NBIRTH, 0, vec![number(BD_SEQ, 0)], 1);
    take(&mut host, DBIRTH, 1, vec![current(1.0, 1)], 1);
    let order = LinkOrder { term: grid::Term(TERM.0 - 1), count: 9 };
    let mut stored = registry(Encoding::DoublePoint);
    stored.devices = vec![DeviceRecord { gateway: GATEWAY, code: "F3".into(), online: false, since: Micros(1), order }];
    assert_eq!(changes(&compare(&mut host, &stored, 10)), [(true, false)], "nothing has happened to the device");
    assert_eq!(changes(&take(&mut host, "spBv1.0/APDL/DDEATH/RTU/F3", 2, vec![], 20)), [(false, true)]);
    assert_eq!(changes(&take(&mut host, DBIRTH, 3, vec![current(1.0, 1)], 30)), [(true, true)]);
}
