//! What changes in the registry while the host runs.

use super::values::shown;
use super::*;

fn follow(host: &mut Host, registry: &Registry) {
    host.follow(&Arc::new(Image::from(registry.clone())));
}

#[test]
fn changed_point_is_taken_over_and_keeps_what_was_received() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
    let mut changed = registry(Encoding::DoublePoint);
    changed.points[0].scale = 10.0;
    follow(&mut host, &changed);
    let out = take(&mut host, DDATA, 2, vec![current(2.0, 2)], 2);
    assert_eq!(shown(&out), [(CURRENT.0, Some(20.0), Quality::Good.code())]);
    let out = take(&mut host, DDATA, 3, vec![current(3.0, 1)], 3);
    assert_eq!(shown(&out), [], "older than what was shown before the change");
}

#[test]
fn point_that_is_described_is_not_discovered() {
    let mut host = host();
    host.connected(at(0));
    let mut changed = registry(Encoding::DoublePoint);
    changed.points.push(point(PointId(13), "F3/Ua", point::PointKind::Measurand));
    follow(&mut host, &changed);
    let voltage = Metric::new("F3/Ua", MetricValue::Double(230.0)).at(START as u64);
    let out = take(&mut host, DDATA, 1, vec![voltage], 1);
    assert!(out.discoveries.is_empty(), "{out:?}");
    assert_eq!(shown(&out), [(13, Some(230.0), Quality::Good.code())]);
}

#[test]
fn utility_that_is_added_is_taken() {
    let mut host = Host::new(IngestConfig::default(), at(0).wall, TERM);
    host.connected(at(0));
    let out = take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
    assert_eq!(dead(&out), ["unknown_group"]);
    follow(&mut host, &registry(Encoding::DoublePoint));
    let out = take(&mut host, DDATA, 2, vec![current(2.0, 2)], 2);
    assert_eq!(shown(&out), [(CURRENT.0, Some(2.0), Quality::Good.code())]);
}

#[test]
fn renamed_gateway_is_found_by_its_new_name() {
    let mut host = host();
    host.connected(at(0));
    let mut changed = registry(Encoding::DoublePoint);
    changed.gateways[0].code = "RTU2".into();
    follow(&mut host, &changed);
    let out = take(&mut host, "spBv1.0/APDL/DDATA/RTU2/F3", 1, vec![current(2.0, 2)], 2);
    assert!(out.discoveries.is_empty(), "{out:?}");
    assert_eq!(shown(&out), [(CURRENT.0, Some(2.0), Quality::Good.code())]);
}

#[test]
fn removed_point_is_discovered_again() {
    let mut host = host();
    host.connected(at(0));
    let mut changed = registry(Encoding::DoublePoint);
    changed.points.retain(|point| point.id != CURRENT);
    follow(&mut host, &changed);
    let out = take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
    assert_eq!(shown(&out), [], "nothing is shown for a point that does not exist");
    assert!(!out.discoveries.is_empty(), "{out:?}");
}

#[test]
fn point_that_is_removed_while_a_utility_is_added_is_unknown() {
    let mut host = host();
    host.connected(at(0));
    let mut changed = registry(Encoding::DoublePoint);
    changed.clients.push(ClientRecord { id: ClientId(CLIENT.0 + 1), code: "OTHER".into(), ..client_record() });
    changed.points.retain(|point| point.id != CURRENT);
    follow(&mut host, &changed);
    let out = take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
    assert_eq!(shown(&out), [], "nothing is shown for a point that does not exist");
    assert!(!out.discoveries.is_empty(), "{out:?}");
}

#[test]
fn utility_with_another_code_is_taken_under_it() {
    let mut host = host();
    host.connected(at(0));
    let mut changed = registry(Encoding::DoublePoint);
    changed.clients[0].code = "APDCL".into();
    follow(&mut host, &changed);
    let out = take(&mut host, &DDATA.replace("APDL", "APDCL"), 1, vec![current(1.0, 1)], 1);
    assert_eq!(shown(&out), [(CURRENT.0, Some(1.0), Quality::Good.code())]);
    let out = take(&mut host, DDATA, 2, vec![current(2.0, 2)], 2);
    assert_eq!(dead(&out), ["unknown_group"]);
}

#[test]
fn name_that_another_point_has_taken_over_feeds_that_point() {
    let mut host = host();
    host.connected(at(0));
    take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
    let mut changed = registry(Encoding::DoublePoint);
    for point in &mut changed.points {
        if point.id == CURRENT {
            point.id = PointId(14);
        }
    }
    follow(&mut host, &changed);
    let out = take(&mut host, DDATA, 2, vec![current(2.0, 2)], 2);
    assert_eq!(shown(&out), [(14, Some(2.0), Quality::Good.code())]);
}

#[test]
fn gateways_that_exchange_their_names_exchange_their_points() {
    let mut host = host();
    host.connected(at(0));
    let mut two = registry(Encoding::DoublePoint);
    let own = two.gateways[0].id;
    let other = GatewayId(own.0 + 1);
    two.gateways.push(GatewayRecord { id: other, code: "RTU2".into(), ..two.gateways[0].clone() });
    let points: Vec<Point> =
        two.points.iter().map(|point| Point { id: PointId(point.id.0 + 100), gateway: other, ..point.clone() }).collect();
    two.points.extend(points);
    follow(&mut host, &two);
    let (first, second) = (two.gateways[0].code.clone(), two.gateways[1].code.clone());
    (two.gateways[0].code, two.gateways[1].code) = (second, first);
    follow(&mut host, &two);
    let out = take(&mut host, DDATA, 1, vec![current(1.0, 1)], 1);
    assert_eq!(shown(&out), [(CURRENT.0 + 100, Some(1.0), Quality::Good.code())]);
}
