//! The reports of an RTU: all values at a birth, status changes with their own source times, and measurands when they have changed sufficiently or their
//! interval has ended.

use std::collections::{BTreeMap, HashMap};

use field::command::Answer;
use field::sparkplug::{DataType, EXPECTED_MS, Metric, MetricValue, UNIT};
use grid::Micros;
use grid::measure::Quantity;
use grid::point::PointKind;

use super::link::{Births, Data};
use super::shared::StationPhysics;
use crate::clock::Clock;
use crate::physics::substation::Change;
use crate::utility::{PointSpec, Substation};

/// Relative change since the last sent value at which a value is sent before its interval has ended.
const DEADBAND: f64 = 0.01;

/// A point with its last sent value.
pub(super) struct Report {
    spec: PointSpec,
    metric: String,
    by_interval: bool,
    sent: Option<(Micros, f64)>,
}

impl Report {
    /// Creates the reports of all points, with nothing sent yet.
    pub(super) fn all(substation: &Substation) -> Vec<Self> {
        let report = |spec: &PointSpec| Self { metric: spec.metric(), by_interval: by_interval(spec), spec: spec.clone(), sent: None };
        substation.points.iter().map(report).collect()
    }

    /// Whether a value must be sent before its interval has ended.
    fn moved(&self, sent: f64, value: f64) -> bool {
        if self.by_interval {
            // A line that becomes dead or energised is still reported immediately.
            return (sent == 0.0) != (value == 0.0);
        }
        (value - sent).abs() > DEADBAND * sent.abs().max(0.1)
    }
}

/// Whether a point is sent only at the end of its interval, because its values change little, or because a total is sent on change. Sending such points on
/// change would double the traffic.
fn by_interval(spec: &PointSpec) -> bool {
    match spec.quantity {
        Quantity::Angle | Quantity::Distortion | Quantity::Flicker | Quantity::ActiveEnergy | Quantity::ReactiveEnergy => true,
        Quantity::ActivePower | Quantity::ReactivePower | Quantity::ApparentPower => spec.code != "P" && spec.code != "Q",
        // The voltage of the bus is sent on change.
        Quantity::Voltage => spec.code != "V",
        _ => false,
    }
}

/// Returns the births: all points by device with their present values, units and intervals, the answers to commands without values, and the metrics
/// of the node itself.
pub(super) fn births(substation: &Substation, station: StationPhysics, clock: Clock, own: Vec<Metric>) -> Births {
    let points = substation.points.clone();
    Box::new(move || {
        let (now, values) = station.values();
        let at = clock.stamp(now);
        let mut devices: BTreeMap<String, Vec<Metric>> = BTreeMap::new();
        for point in &points {
            let mut metric = metric(point, values.get(&point.metric()).copied(), at);
            metric.properties.push((UNIT.to_owned(), MetricValue::Text(point.unit.to_owned())));
            if let Some(expected) = point.expected_ms {
                metric.properties.push((EXPECTED_MS.to_owned(), MetricValue::Int64(expected)));
            }
            let device = devices.entry(point.device.clone()).or_default();
            device.push(metric);
            if point.code == "Pos" {
                device.extend(Answer::declare(&point.asset, at.millis().cast_unsigned()));
            }
        }
        devices.insert(String::new(), own.clone());
        devices.into_iter().collect()
    })
}

/// Creates a metric as this RTU sends it. An absent value still declares its type.
fn metric(point: &PointSpec, value: Option<f64>, at: Micros) -> Metric {
    let (datatype, value) = match point.kind {
        PointKind::Status(_) => (DataType::Int32, value.map(|value| MetricValue::Int32(value as i32))),
        PointKind::Measurand => (DataType::Double, value.map(MetricValue::Double)),
    };
    let mut metric = Metric::new(point.metric(), value.unwrap_or_default()).at(at.millis().cast_unsigned());
    metric.datatype = Some(datatype);
    metric.quality = Some(192);
    metric
}

/// Returns the messages that are due: one message for each status change, with its own source time, and one message for each device with the measurands that
/// have changed or whose interval has ended.
pub(super) fn due(reports: &mut [Report], changes: &[Change], values: &BTreeMap<String, f64>, now: Micros, clock: Clock) -> Vec<Data> {
    let of_change = |(index, report): (usize, &Report)| {
        let changed = changes.iter().any(|change| change.metric == report.metric);
        changed.then(|| (report.metric.clone(), index))
    };
    let by_metric: HashMap<String, usize> = reports.iter().enumerate().filter_map(of_change).collect();
    let mut messages = Vec::new();
    for change in changes {
        let Some(report) = by_metric.get(&change.metric).and_then(|index| reports.get_mut(*index)) else { continue };
        report.sent = Some((change.at, change.value));
        messages.push(Data {
            device: report.spec.device.clone(),
            metrics: vec![metric(&report.spec, Some(change.value), clock.stamp(change.at))],
        });
    }
    let mut scanned: BTreeMap<String, Vec<Metric>> = BTreeMap::new();
    for report in reports.iter_mut().filter(|report| report.spec.expected_ms.is_some()) {
        let Some(value) = values.get(&report.metric).copied() else {
            // A value that can no longer be measured is reported as absent once.
            if report.sent.take().is_some() {
                scanned.entry(report.spec.device.clone()).or_default().push(metric(&report.spec, None, clock.stamp(now)));
            }
            continue;
        };
        let is_due = report.sent.is_none_or(|(at, sent)| {
            let over = report.spec.expected_ms.is_some_and(|expected| clock.stamp(now).millis_since(clock.stamp(at)) >= expected);
            over || report.moved(sent, value)
        });
        if is_due {
            report.sent = Some((now, value));
            scanned.entry(report.spec.device.clone()).or_default().push(metric(&report.spec, Some(value), clock.stamp(now)));
        }
    }
    messages.extend(scanned.into_iter().map(|(device, metrics)| Data { device, metrics }));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::standalone::Standalone;
    use crate::utility::{Pace, demo};
    use field::sparkplug::Payload;
    use grid::control::{CommandId, GatewayAnswer};

    const START: Micros = Micros(1_793_577_600_000_000);

    /// Returns the metrics of a line that are sent `seconds` after a complete report, with some changed values.
    fn sent(seconds: i64, changed: &[(&str, f64)]) -> Vec<String> {
        let world = demo(33);
        let substation = &world.clients[0].substations[1];
        let mut reports = Report::all(substation);
        let clock = Clock::new(1.0);
        let mut values: BTreeMap<String, f64> = substation.points.iter().map(|point| (point.metric(), 6.0)).collect();
        due(&mut reports, &[], &values, START, clock);
        for (code, value) in changed {
            values.insert(format!("F1/{code}"), *value);
        }
        let messages = due(&mut reports, &[], &values, START.plus_millis(seconds * 1_000), clock);
        let names = messages.iter().flat_map(|data| &data.metrics).filter_map(|metric| metric.name.clone());
        names.filter_map(|name| name.strip_prefix("F1/").map(str::to_owned)).collect()
    }

    #[test]
    fn what_is_watched_is_sent_when_it_moves_and_the_rest_by_its_interval() {
        assert_eq!(sent(1, &[]), [] as [&str; 0]);
        assert_eq!(sent(1, &[("Ir", 6.5), ("P", 6.03), ("Vr", 6.5), ("AVy", -110.0), ("Vuf", 2.0), ("Pr", 3.0)]), ["Ir"]);
        assert_eq!(sent(1, &[("Vr", 0.0), ("Pr", 0.0)]), ["Vr", "Pr"], "what dies is told at once");
        let after = |seconds| sent(seconds, &[]);
        assert!(after(10).contains(&"Vr".to_owned()) && !after(10).contains(&"AVy".to_owned()));
        assert!(after(30).contains(&"AVy".to_owned()) && !after(30).contains(&"Vuf".to_owned()));
        assert!(after(60).contains(&"Vuf".to_owned()));
    }

    /// Sparkplug 3.0, tck-id-payloads-metric-datatype-req.
    #[test]
    fn absent_value_declares_the_type_of_its_point() {
        let world = demo(33);
        for point in world.clients.iter().flat_map(|client| &client.substations).flat_map(|substation| &substation.points) {
            let declared = |value| {
                let payload = Payload { metrics: vec![metric(point, value, START)], ..Payload::default() };
                Payload::decode(&payload.encode()).unwrap().metrics[0].datatype
            };
            assert!(declared(None).is_some(), "{}", point.metric());
            assert_eq!(declared(None), declared(Some(1.0)), "{}", point.metric());
        }
    }

    /// Sparkplug 3.0, tck-id-operational-behavior-data-publish-dbirth.
    #[test]
    fn births_declare_the_answers_of_every_switch() {
        let world = demo(33);
        for substation in world.clients.iter().flat_map(|client| &client.substations) {
            let station = StationPhysics::share(Standalone::physics(substation, 5, START), Pace::Usual).remove(0);
            let births: BTreeMap<_, _> = births(substation, station, Clock::new(1.0), Vec::new())().into_iter().collect();
            for switch in substation.points.iter().filter(|point| point.code == "Pos") {
                let answer = Answer { asset: switch.asset.clone(), id: CommandId(1), state: GatewayAnswer::Accepted, cause: None };
                let sent = |metrics| Payload::decode(&Payload { metrics, ..Payload::default() }.encode()).unwrap();
                let birth = sent(births[&switch.device].clone());
                for metric in sent(answer.encode(1)).metrics {
                    let name = metric.name.as_deref().unwrap();
                    assert_eq!(birth.metric(name).map(|metric| metric.datatype), Some(metric.datatype), "{name}");
                }
                assert_eq!(Answer::decode(&birth), []);
            }
        }
    }

    #[test]
    fn a_quiet_minute_of_the_whole_demo_is_no_flood() {
        let (mut points, mut sent) = (0, 0);
        for substation in demo(33).clients.iter().flat_map(|client| &client.substations) {
            let mut station = Standalone::new(substation, 5, START, false);
            let mut reports = Report::all(substation);
            let clock = Clock::new(1.0);
            due(&mut reports, &[], station.values(), START, clock);
            for second in 1..=60 {
                let now = START.plus_millis(second * 1_000);
                let changes = station.step(now);
                sent += due(&mut reports, &changes, station.values(), now, clock).iter().map(|data| data.metrics.len()).sum::<usize>();
            }
            points += substation.points.len();
        }
        assert!(points > 3_000, "{points} points");
        assert!(sent < 4 * points, "{sent} values a minute from {points} points");
        println!("{sent} values a minute from {points} points");
    }
}
