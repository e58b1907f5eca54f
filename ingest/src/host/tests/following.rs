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
