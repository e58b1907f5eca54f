//! The points of one gateway by device and metric name, each with its latest readings.

use std::collections::HashMap;

use field::sparkplug::{EXPECTED_MS, Metric, MetricValue, UNIT};
use grid::measure::Quantity;
use grid::point::{PointKind, kind_of_code};
use grid::position::Encoding;
use grid::{Arrival, Point, PointId, Reading};
use store::NewPoint;

/// A point with the data that ingest needs.
#[derive(Debug, Clone)]
pub struct KnownPoint {
    /// Its id.
    pub id: PointId,
    /// Measurand or status.
    pub kind: PointKind,
    /// Factor from the received value to the stored one.
    pub scale: f64,
    /// The current reading, never a historical one: screens show it.
    pub shown: Option<Arrival>,
    /// For a status point: the newest known state, from live or from historical data.
    pub state: Option<Arrival>,
    /// The last processed reading, with the number of its message.
    pub absorbed: Option<(u64, Reading)>,
    /// How the values of a single point were reported.
    pub reported: Reported,
}

/// How the values of a switch that is described as a single point were reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reported {
    /// By numbers of a single point, or not at all.
    #[default]
    SinglePoint,
    /// By Booleans.
    Boolean,
    /// By numbers that may be values of a double point, where 1 is open. For a single point 1 is closed.
    Doubtful,
}

impl KnownPoint {
    /// Records how a value was reported. Returns false if the number must not be used, because the switch is described
    /// as a single point but its device seems to report two contacts.
    ///
    /// A device seems to report two contacts after it has reported a number above 1, or a number after Booleans. This
    /// is reset when the point is described as a double point, or when the device reports Booleans.
    pub fn note_report(&mut self, value: &MetricValue) -> bool {
        if self.kind != PointKind::Status(Encoding::SinglePoint) {
            return true;
        }
        self.reported = match (value, self.reported) {
            (MetricValue::Boolean(_), _) => Reported::Boolean,
            (value, before) => match value.as_number() {
                None => before,
                Some(number) if before == Reported::SinglePoint && (0.0..=1.0).contains(&number) => before,
                Some(_) => Reported::Doubtful,
            },
        };
        self.reported != Reported::Doubtful
    }
}

/// The points of one gateway.
#[derive(Debug, Default)]
pub struct Points {
    devices: HashMap<String, HashMap<String, KnownPoint>>,
    count: usize,
    has_status: bool,
}

impl Points {
    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns whether there is a status point.
    pub fn has_status(&self) -> bool {
        self.has_status
    }

    /// Returns the devices that have points.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.devices.keys().map(String::as_str)
    }

    /// Returns whether a device has points.
    pub fn has_device(&self, device: &str) -> bool {
        self.devices.contains_key(device)
    }

    /// Returns the point with this device and metric name.
    pub fn get(&self, device: &str, metric: &str) -> Option<&KnownPoint> {
        self.devices.get(device)?.get(metric)
    }

    /// Returns the point with this device and metric name, for changes.
    pub fn get_mut(&mut self, device: &str, metric: &str) -> Option<&mut KnownPoint> {
        self.devices.get_mut(device)?.get_mut(metric)
    }

    /// Removes a point.
    pub fn remove(&mut self, point: &Point) {
        let Some(metrics) = self.devices.get_mut(&point.device) else { return };
        if metrics.get(&point.metric).is_some_and(|known| known.id == point.id) {
            metrics.remove(&point.metric);
            self.count -= 1;
            if metrics.is_empty() {
                self.devices.remove(&point.device);
            }
        }
    }

    /// Adds or updates a point and keeps its readings. If the name belonged to a different point, the readings of that
    /// point are removed.
    pub fn put(&mut self, point: &Point, latest: Option<Reading>) {
        let new = || KnownPoint {
            id: point.id,
            kind: point.kind,
            scale: point.scale,
            shown: None,
            state: None,
            absorbed: None,
            reported: Reported::default(),
        };
        let metrics = self.devices.entry(point.device.clone()).or_default();
        let known = metrics.entry(point.metric.clone()).or_insert_with(|| {
            self.count += 1;
            new()
        });
        if known.id != point.id {
            *known = new();
        }
        if known.kind != point.kind {
            known.reported = Reported::default();
        }
        known.kind = point.kind;
        self.has_status |= matches!(point.kind, PointKind::Status(_));
        known.scale = point.scale;
        let latest = latest.map(Arrival::stored);
        known.shown = known.shown.or(latest);
        known.state = known.state.or(latest);
    }
}

/// Describes a new metric by its name, its type, and the properties of its birth.
pub fn describe(device: &str, name: &str, metric: &Metric, value: &MetricValue) -> NewPoint {
    let code = name.rsplit_once('/').map_or(name, |(_, code)| code);
    let boolean = matches!(value, MetricValue::Boolean(_)) || metric.datatype == Some(field::sparkplug::DataType::Boolean);
    let kind = match (kind_of_code(code), boolean) {
        // A Boolean cannot report intermediate: true is closed.
        (PointKind::Status(Encoding::DoublePoint), true) => PointKind::Status(Encoding::SinglePoint),
        (PointKind::Measurand, true) => PointKind::Status(Encoding::Signal),
        (kind, _) => kind,
    };
    let quantity = if matches!(kind, PointKind::Status(_)) { Quantity::Status } else { Quantity::of_code(code) };
    let unit = match metric.property(UNIT) {
        Some(MetricValue::Text(unit)) if unit.len() <= 16 && !unit.chars().any(char::is_control) => unit.clone(),
        _ => quantity.unit().to_owned(),
    };
    let expected_ms = metric.property(EXPECTED_MS).and_then(MetricValue::as_u64).and_then(|ms| i64::try_from(ms).ok()).filter(|ms| *ms > 0);
    NewPoint { device: device.into(), metric: name.into(), code: code.into(), kind, quantity, unit, expected_ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_described_is_described_by_what_it_says() {
        use MetricValue::{Boolean, Double, Int32, Int64, Text};
        let plain = |name: &str, value: MetricValue| describe("F3", name, &Metric::new(name, value.clone()), &value);
        for (name, value, kind, unit) in [
            ("F3/Ir", Double(1.0), PointKind::Measurand, "A"),
            ("F3CB/Pos", Int32(2), PointKind::Status(Encoding::DoublePoint), ""),
            ("F3CB/Pos", Boolean(true), PointKind::Status(Encoding::SinglePoint), ""),
            ("F3R/Op", Boolean(true), PointKind::Status(Encoding::Signal), ""),
            ("Door", Boolean(true), PointKind::Status(Encoding::Signal), ""),
            ("Strange", Double(1.0), PointKind::Measurand, ""),
        ] {
            let point = plain(name, value);
            assert_eq!((point.kind, point.unit.as_str()), (kind, unit), "{name}");
        }
        let properties = vec![(UNIT.to_owned(), Text("bar".into())), (EXPECTED_MS.to_owned(), Int64(2_000))];
        let metric = Metric { properties, ..Metric::new("Tank/Pressure", Double(1.0)) };
        let point = describe("F3", "Tank/Pressure", &metric, &metric.value);
        assert_eq!((point.code.as_str(), point.unit.as_str(), point.expected_ms), ("Pressure", "bar", Some(2_000)));
    }
}
